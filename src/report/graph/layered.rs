//! Where the nodes and edges of a drawing go: layers from top to bottom (Sugiyama, Tagawa, Toda 1981).
//!
//! A node is in a row below all nodes that lead to it. An edge that skips rows has a point in each row between, and a label is
//! such a point. Rows are ordered by the mean place of their neighbours, a few times down and up; the order with the fewest
//! crossings stays. Then each row in turn is moved as near to its neighbours as the order and the distances allow, which is
//! isotonic regression, solved exactly by pooling.
//!
//! Invariant: boxes of one row do not overlap. Cost: `O(n log n)` per sweep, in nodes and points.

/// How often rows are ordered and moved.
const SWEEPS: usize = 10;
/// Between neighbours of a row.
const GAP: f64 = 24.0;
/// Between rows.
const ROW_GAP: f64 = 34.0;
/// How much more a point of an edge keeps its line than a node does.
const STRAIGHT: f64 = 4.0;

/// An edge to draw: from a lower to a higher node, and the size of its label. Of two edges with the same ends one at least has a
/// label, which may be empty: a label takes a row, so they get different ways.
pub(super) struct Line {
    pub from: usize,
    pub to: usize,
    pub label: Option<(f64, f64)>,
}

/// A point: x to the right, y down.
pub(super) type Point = (f64, f64);

/// Where everything goes, from (0, 0) on.
pub(super) struct Drawing {
    /// The middle of each node's top.
    pub tops: Vec<Point>,
    /// Per edge.
    pub routes: Vec<Route>,
    /// Width and height of all.
    pub size: Point,
}

/// The way of an edge: pieces of straight lines downwards, to be joined by curves.
pub(super) struct Route {
    /// Upper and lower end of each piece.
    pub pieces: Vec<(Point, Point)>,
    /// The middle of the label.
    pub label: Option<Point>,
}

/// A node, or a point of an edge.
struct Item {
    width: f64,
    height: f64,
    row: usize,
    up: Vec<usize>,
    down: Vec<usize>,
    is_point: bool,
}

/// The row of each node. Edges go from lower to higher numbers and are sorted.
fn levels(nodes: usize, lines: &[Line]) -> Vec<usize> {
    let step = |line: &Line| if line.label.is_some() { 2 } else { 1 };
    let mut level = vec![0; nodes];
    let mut entered = vec![false; nodes];
    for line in lines {
        level[line.to] = level[line.to].max(level[line.from] + step(line));
        entered[line.to] = true;
    }
    // A node that nothing leads to is drawn next to what it leads to.
    let mut near = vec![usize::MAX; nodes];
    for line in lines {
        near[line.from] = near[line.from].min(level[line.to] - step(line));
    }
    for (i, near) in near.into_iter().enumerate() {
        if !entered[i] && near != usize::MAX {
            level[i] = near;
        }
    }
    level
}

/// How many nodes and points a drawing has.
pub(super) fn size(nodes: usize, lines: &[Line]) -> usize {
    let level = levels(nodes, lines);
    nodes + lines.iter().map(|l| level[l.to] - level[l.from] - 1).sum::<usize>()
}

/// Lays out nodes of the given sizes. Edges are sorted by their start.
pub(super) fn layout(sizes: &[(f64, f64)], lines: &[Line]) -> Drawing {
    let level = levels(sizes.len(), lines);
    let mut items: Vec<Item> = sizes
        .iter()
        .zip(&level)
        .map(|(&(width, height), &row)| Item { width, height, row, up: vec![], down: vec![], is_point: false })
        .collect();
    let mut chains = Vec::with_capacity(lines.len());
    for line in lines {
        let rows = level[line.from] + 1..level[line.to];
        let middle = rows.start + rows.len() / 2;
        let mut chain = vec![line.from];
        for row in rows {
            let (width, height) = line.label.filter(|_| row == middle).unwrap_or((0.0, 0.0));
            chain.push(items.len());
            items.push(Item { width, height, row, up: vec![], down: vec![], is_point: true });
        }
        chain.push(line.to);
        for pair in chain.windows(2) {
            items[pair[0]].down.push(pair[1]);
            items[pair[1]].up.push(pair[0]);
        }
        chains.push(chain);
    }
    let order = order(&items);
    let x = columns(&items, &order);
    let (tops, heights) = rows(&items, &order);
    let height = tops.last().zip(heights.last()).map_or(0.0, |(t, h)| t + h);
    let width = items.iter().zip(&x).map(|(item, x)| x + item.width / 2.0).fold(0.0, f64::max);
    let routes =
        lines.iter().zip(&chains).map(|(line, chain)| route(line, chain, &items, &x, &tops, &heights)).collect();
    let tops = (0..sizes.len()).map(|i| (x[i], tops[items[i].row])).collect();
    Drawing { tops, routes, size: (width, height) }
}

/// The items of each row, from left to right.
fn order(items: &[Item]) -> Vec<Vec<usize>> {
    let count = items.iter().map(|i| i.row + 1).max().unwrap_or(0);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (i, item) in items.iter().enumerate() {
        order[item.row].push(i);
    }
    let mut place: Vec<usize> = vec![0; items.len()];
    let number = |row: &[usize], place: &mut Vec<usize>| {
        for (k, &i) in row.iter().enumerate() {
            place[i] = k;
        }
    };
    for row in &order {
        number(row, &mut place);
    }
    let mut best = (crossings(items, &order, &place), order.clone());
    for sweep in 0..SWEEPS {
        if best.0 == 0 {
            break;
        }
        let downwards = sweep % 2 == 0;
        for k in 0..count {
            let row = if downwards { k } else { count - 1 - k };
            let mean = |i: usize| {
                let near = if downwards { &items[i].up } else { &items[i].down };
                match near.len() {
                    0 => place[i] as f64,
                    n => near.iter().map(|j| place[*j] as f64).sum::<f64>() / n as f64,
                }
            };
            let mut keyed: Vec<(f64, usize)> = order[row].iter().map(|&i| (mean(i), i)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[row] = keyed.into_iter().map(|(_, i)| i).collect();
            number(&order[row], &mut place);
        }
        let found = crossings(items, &order, &place);
        if found < best.0 {
            best = (found, order.clone());
        }
    }
    best.1
}

/// How many pairs of edges between neighbouring rows cross.
fn crossings(items: &[Item], order: &[Vec<usize>], place: &[usize]) -> usize {
    let mut sum = 0;
    for (row, below) in order.iter().zip(order.iter().skip(1)) {
        // A Fenwick tree over the places below counts the edges so far that end further right.
        let mut tree = vec![0usize; below.len() + 1];
        let mut total = 0;
        for &i in row {
            let ends = || items[i].down.iter().map(|j| place[*j]);
            for end in ends() {
                let mut at = end + 1;
                let mut up_to = 0;
                while at > 0 {
                    up_to += tree[at];
                    at &= at - 1;
                }
                sum += total - up_to;
            }
            for end in ends() {
                let mut at = end + 1;
                while at < tree.len() {
                    tree[at] += 1;
                    at += at & at.wrapping_neg();
                }
                total += 1;
            }
        }
    }
    sum
}

/// The middle of each item.
fn columns(items: &[Item], order: &[Vec<usize>]) -> Vec<f64> {
    let mut x = vec![0.0; items.len()];
    for row in order {
        let wish: Vec<(f64, f64)> = vec![(0.0, 1.0); row.len()];
        place_row(items, row, &wish, &mut x);
    }
    for sweep in 0..2 * SWEEPS {
        let downwards = sweep % 2 == 0;
        for k in 0..order.len() {
            let row = &order[if downwards { k } else { order.len() - 1 - k }];
            let wish: Vec<(f64, f64)> = row
                .iter()
                .map(|&i| {
                    let near = if downwards { &items[i].up } else { &items[i].down };
                    let weight = if items[i].is_point { STRAIGHT } else { 1.0 };
                    match near.len() {
                        0 => (x[i], weight / 8.0),
                        n => (near.iter().map(|j| x[*j]).sum::<f64>() / n as f64, weight),
                    }
                })
                .collect();
            place_row(items, row, &wish, &mut x);
        }
    }
    let left = items.iter().zip(&x).map(|(item, x)| x - item.width / 2.0).fold(f64::INFINITY, f64::min);
    for x in &mut x {
        *x -= left;
    }
    x
}

/// Puts a row's items as near to their wishes (a place and its weight) as their order and distances allow: the weighted least
/// squares under `x[k + 1] >= x[k] + distance`.
fn place_row(items: &[Item], row: &[usize], wish: &[(f64, f64)], x: &mut [f64]) {
    // Without the distances it is a regression by a function that does not fall.
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(row.len());
    // Pools of items that touch: the mean of their wishes, its weight, and how many they are.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (k, &i) in row.iter().enumerate() {
        if k > 0 {
            offset += f64::midpoint(items[row[k - 1]].width, items[i].width) + GAP;
        }
        offsets.push(offset);
        let mut pool = (wish[k].0 - offset, wish[k].1, 1);
        while let Some(&(mean, weight, count)) = pools.last() {
            if mean < pool.0 {
                break;
            }
            pools.pop();
            let sum = weight + pool.1;
            pool = ((mean * weight + pool.0 * pool.1) / sum, sum, count + pool.2);
        }
        pools.push(pool);
    }
    let means = pools.iter().flat_map(|&(mean, _, count)| std::iter::repeat_n(mean, count));
    for ((&i, offset), mean) in row.iter().zip(offsets).zip(means) {
        x[i] = mean + offset;
    }
}

/// The top and the height of each row.
fn rows(items: &[Item], order: &[Vec<usize>]) -> (Vec<f64>, Vec<f64>) {
    let heights: Vec<f64> = order.iter().map(|row| row.iter().map(|i| items[*i].height).fold(0.0, f64::max)).collect();
    let mut top = 0.0;
    let mut tops = Vec::with_capacity(heights.len());
    for height in &heights {
        tops.push(top);
        top += height + ROW_GAP;
    }
    (tops, heights)
}

fn route(line: &Line, chain: &[usize], items: &[Item], x: &[f64], tops: &[f64], heights: &[f64]) -> Route {
    let bottom = |i: usize| tops[items[i].row] + heights[items[i].row];
    let (from, to) = (line.from, line.to);
    let start = x[from] + port(&items[from].down, chain[1], x, items[from].width);
    let end = x[to] + port(&items[to].up, chain[chain.len() - 2], x, items[to].width);
    let mut pieces = vec![((start, tops[items[from].row] + items[from].height), (start, bottom(from)))];
    let mut label = None;
    for &i in &chain[1..chain.len() - 1] {
        pieces.push(((x[i], tops[items[i].row]), (x[i], bottom(i))));
        if items[i].width > 0.0 {
            label = Some((x[i], tops[items[i].row] + items[i].height / 2.0));
        }
    }
    let top = tops[items[to].row];
    pieces.push(((end, top), (end, top)));
    Route { pieces, label }
}

/// Where at a node's side the edge to `next` is, from the middle: the edges stand in the order of where they lead.
fn port(neighbours: &[usize], next: usize, x: &[f64], width: f64) -> f64 {
    let before = neighbours.iter().filter(|n| (x[**n], **n) < (x[next], next)).count();
    let spread = (width * 0.7).min(GAP * (neighbours.len() as f64 - 1.0));
    match neighbours.len() {
        0 | 1 => 0.0,
        n => spread * (before as f64 / (n - 1) as f64 - 0.5),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(nodes: usize, raw: &[(usize, usize)]) -> Vec<Line> {
        let mut ends: Vec<(usize, usize)> = raw
            .iter()
            .map(|(a, b)| (a % nodes, b % nodes))
            .map(|(a, b)| (a.min(b), a.max(b)))
            .filter(|e| e.0 != e.1)
            .collect();
        ends.sort_unstable();
        ends.dedup();
        ends.iter()
            .map(|&(from, to)| Line { from, to, label: ((from + to) % 3 == 0).then_some((30.0, 12.0)) })
            .collect()
    }

    /// Every pair of edges, by the definition.
    fn crossings_naively(items: &[Item], place: &[usize]) -> usize {
        let edges: Vec<(usize, usize)> =
            items.iter().enumerate().flat_map(|(i, item)| item.down.iter().map(move |j| (i, *j))).collect();
        let cross = |(a, b): (usize, usize), (c, d): (usize, usize)| {
            items[a].row == items[c].row && place[a] < place[c] && place[b] > place[d]
        };
        edges.iter().map(|e| edges.iter().filter(|f| cross(*e, **f)).count()).sum()
    }

    proptest! {
        #[test]
        fn boxes_do_not_overlap_and_edges_go_down(
            sizes in prop::collection::vec((5.0f64..200.0, 5.0f64..90.0), 1..40),
            raw in prop::collection::vec((0usize..40, 0usize..40), 0..80),
        ) {
            let lines = lines(sizes.len(), &raw);
            let drawing = layout(&sizes, &lines);
            let boxes: Vec<_> = drawing.tops.iter().zip(&sizes)
                .map(|(&(x, y), &(w, h))| (x - w / 2.0, x + w / 2.0, y, y + h)).collect();
            for (i, a) in boxes.iter().enumerate() {
                prop_assert!(a.0 > -0.01 && a.1 < drawing.size.0 + 0.01 && a.3 < drawing.size.1 + 0.01);
                for b in &boxes[..i] {
                    let apart = a.1 <= b.0 || b.1 <= a.0 || a.3 <= b.2 || b.3 <= a.2;
                    prop_assert!(apart, "{a:?} and {b:?}");
                }
            }
            for (line, route) in lines.iter().zip(&drawing.routes) {
                prop_assert_eq!(line.label.is_some(), route.label.is_some());
                let ys: Vec<f64> = route.pieces.iter().flat_map(|p| [p.0.1, p.1.1]).collect();
                prop_assert!(ys.windows(2).all(|w| w[0] <= w[1]));
                prop_assert!(drawing.tops[line.from].1 < drawing.tops[line.to].1);
            }
            prop_assert!(size(sizes.len(), &lines) >= sizes.len());
        }

        #[test]
        fn crossings_are_counted(
            upper in 1usize..8, lower in 1usize..8, raw in prop::collection::vec((0usize..8, 0usize..8), 0..20),
        ) {
            let item = |row| Item { width: 1.0, height: 1.0, row, up: vec![], down: vec![], is_point: false };
            let mut items: Vec<Item> = (0..upper).map(|_| item(0)).chain((0..lower).map(|_| item(1))).collect();
            for (a, b) in raw {
                items[a % upper].down.push(upper + b % lower);
            }
            let order = vec![(0..upper).collect::<Vec<_>>(), (upper..upper + lower).collect()];
            let place: Vec<usize> = (0..upper).chain(0..lower).collect();
            prop_assert_eq!(crossings(&items, &order, &place), crossings_naively(&items, &place));
        }
    }
}
