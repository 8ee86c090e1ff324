//! Graphs as SVG.
//!
//! Each cluster's connected parts are laid out on their own ([`layered`]) and set side by side. Edges against the reverse
//! post-order are laid out from their end to their start, with the head at the start, so that what is laid out has no cycle; edges
//! with the same start and end are drawn as one.
//!
//! Cost: that of the layout; [`LIMIT`] keeps pictures to what a viewer can show.

use std::fmt::{self, Write};

use rustc_hash::{FxHashMap, FxHashSet};

use super::layered::{self, Drawing, Point};
use super::{Graph, INK, NodeId, NodeKind, Pen};
use crate::base::IdVec;
use crate::error::UserError;

/// A graph with more nodes than this, counting points where an edge passes a row, is not drawn.
const LIMIT: usize = 10_000;
/// Parts are set side by side up to this width.
const WIDTH: f64 = 1600.0;
const FONT: usize = 12;
/// The width of a letter of a monospaced font, in its size.
const LETTER: f64 = 0.6;
const LINE_HEIGHT: f64 = 1.25;
const MARGIN: f64 = 20.0;
/// What an edge from a node to itself adds on each side of the node.
const LOOP: f64 = 26.0;

/// The graph as an SVG file, unless it is too large to draw.
pub fn svg(graph: &Graph) -> Result<String, UserError> {
    let parts = parts(graph);
    let size: usize = parts.iter().map(|p| layered::size(p.nodes.len(), &p.lines)).sum();
    if size > LIMIT {
        let message =
            format!("the graph is too large to draw ({} nodes, {} edges)", graph.nodes.len(), graph.edges.len());
        return Err(UserError::usage(message, "use `--format dot`, or choose a part with `--function NAME`"));
    }
    let mut page = Page::default();
    let mut title = None;
    for part in &parts {
        let cluster = graph.nodes[part.nodes[0]].cluster;
        if cluster.is_some() && cluster != title {
            title = cluster;
            let label = cluster.map_or("", |c| graph.clusters[c].label.as_str());
            page.heading(label).expect("a string takes any text");
        }
        page.add(graph, part).expect("a string takes any text");
    }
    Ok(page.finish())
}

/// A connected part, ready to be laid out.
struct Part {
    /// In reverse post-order.
    nodes: Vec<NodeId>,
    /// Edges between different nodes, by their places in `nodes`.
    lines: Vec<layered::Line>,
    /// How each of them is drawn.
    strokes: Vec<Stroke>,
    /// Edges from a node to itself.
    loops: Vec<(usize, Stroke)>,
}

/// How the edges from one node to another are drawn.
struct Stroke {
    /// The head is at the upper end.
    upwards: bool,
    pen: Pen,
    color: &'static str,
    label: String,
}

/// The connected parts of each cluster. An edge between clusters connects them.
fn parts(graph: &Graph) -> Vec<Part> {
    let mut successors: IdVec<NodeId, Vec<NodeId>> = IdVec::filled(Vec::new(), graph.nodes.len());
    let mut neighbours = successors.clone();
    for edge in &graph.edges {
        successors[edge.from].push(edge.to);
        neighbours[edge.from].push(edge.to);
        neighbours[edge.to].push(edge.from);
    }
    let mut part_of: IdVec<NodeId, Option<usize>> = IdVec::filled(None, graph.nodes.len());
    let mut members: Vec<Vec<NodeId>> = Vec::new();
    for start in graph.nodes.ids() {
        if part_of[start].is_some() {
            continue;
        }
        let part = members.len();
        part_of[start] = Some(part);
        let mut found = vec![start];
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            next += 1;
            for &other in &neighbours[node] {
                if part_of[other].is_none() {
                    part_of[other] = Some(part);
                    found.push(other);
                }
            }
        }
        found.sort_unstable();
        members.push(found);
    }
    let mut edges_of: Vec<Vec<usize>> = vec![Vec::new(); members.len()];
    for (i, edge) in graph.edges.iter().enumerate() {
        if let Some(part) = part_of[edge.from] {
            edges_of[part].push(i);
        }
    }
    let mut visited = IdVec::filled(false, graph.nodes.len());
    members.iter().zip(&edges_of).map(|(nodes, edges)| part(graph, nodes, edges, &successors, &mut visited)).collect()
}

fn part(
    graph: &Graph,
    members: &[NodeId],
    edges: &[usize],
    successors: &IdVec<NodeId, Vec<NodeId>>,
    visited: &mut IdVec<NodeId, bool>,
) -> Part {
    let nodes = reverse_post_order(members, successors, visited);
    let position: FxHashMap<NodeId, usize> = nodes.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    // By the places of the upper and the lower end, and whether it goes up: edges the other way are lines of their own.
    let mut strokes: Vec<((usize, usize, bool), Stroke)> = Vec::new();
    let mut known: FxHashMap<(usize, usize, bool), usize> = FxHashMap::default();
    for edge in edges.iter().map(|i| &graph.edges[*i]) {
        let (from, to) = (position[&edge.from], position[&edge.to]);
        let key = (from.min(to), from.max(to), from > to);
        let i = *known.entry(key).or_insert(strokes.len());
        if i == strokes.len() {
            let stroke = Stroke { upwards: key.2, pen: edge.pen(), color: edge.kind.color(), label: String::new() };
            strokes.push((key, stroke));
        }
        let stroke = &mut strokes[i].1;
        // Edges of different kinds between the same nodes are one plain line.
        if stroke.pen != edge.pen() {
            stroke.pen = Pen::Plain;
        }
        if stroke.color != edge.kind.color() {
            stroke.color = INK;
        }
        if !edge.label.is_empty() {
            let separator = if stroke.label.is_empty() { "" } else { " / " };
            stroke.label.push_str(separator);
            stroke.label.push_str(&edge.label);
        }
    }
    strokes.sort_by_key(|s| s.0);
    let (loops, strokes): (Vec<_>, Vec<_>) = strokes.into_iter().partition(|((from, to, _), _)| from == to);
    let line = |((from, to, upwards), stroke): &((usize, usize, bool), Stroke)| {
        let bend = *upwards && known.contains_key(&(*from, *to, false));
        let label = (bend || !stroke.label.is_empty()).then(|| text_size(&stroke.label, FONT));
        layered::Line { from: *from, to: *to, label }
    };
    Part {
        nodes,
        lines: strokes.iter().map(line).collect(),
        strokes: strokes.into_iter().map(|s| s.1).collect(),
        loops: loops.into_iter().map(|((node, ..), stroke)| (node, stroke)).collect(),
    }
}

/// The members from those that nothing leads to on.
fn reverse_post_order(
    members: &[NodeId],
    successors: &IdVec<NodeId, Vec<NodeId>>,
    visited: &mut IdVec<NodeId, bool>,
) -> Vec<NodeId> {
    let mut entered: FxHashSet<NodeId> = FxHashSet::default();
    for &n in members {
        entered.extend(successors[n].iter().filter(|s| **s != n));
    }
    let (roots, rest): (Vec<NodeId>, Vec<NodeId>) = members.iter().partition(|n| !entered.contains(n));
    let mut order = Vec::with_capacity(members.len());
    // The first root last, since the order is reversed in the end; then cycles that no root leads to.
    for &root in roots.iter().rev().chain(&rest) {
        let mut stack: Vec<(NodeId, usize)> = Vec::new();
        if !std::mem::replace(&mut visited[root], true) {
            stack.push((root, 0));
        }
        while let Some((node, next)) = stack.last_mut() {
            if let Some(&s) = successors[*node].get(*next) {
                *next += 1;
                if !std::mem::replace(&mut visited[s], true) {
                    stack.push((s, 0));
                }
            } else {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

fn text_size(text: &str, font: usize) -> (f64, f64) {
    let columns = text.lines().map(|l| l.chars().count()).max().unwrap_or(0);
    let lines = text.lines().count().max(1);
    (columns as f64 * font as f64 * LETTER, lines as f64 * font as f64 * LINE_HEIGHT)
}

/// Text as XML takes it: markup escaped, and no character that XML 1.0 forbids.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The boxes, edges and labels of one part.
fn write_part(out: &mut String, graph: &Graph, part: &Part, drawing: &Drawing, sizes: &[Point]) -> fmt::Result {
    for (route, stroke) in drawing.routes.iter().zip(&part.strokes) {
        let mut curve = String::new();
        let mut last: Option<Point> = None;
        for &((x, y), (_, end)) in &route.pieces {
            match last {
                None => write!(curve, "M {x:.1} {y:.1}")?,
                Some((lx, ly)) => {
                    let middle = f64::midpoint(ly, y);
                    write!(curve, " C {lx:.1} {middle:.1}, {x:.1} {middle:.1}, {x:.1} {y:.1}")?;
                }
            }
            if end > y {
                write!(curve, " V {end:.1}")?;
            }
            last = Some((x, end));
        }
        write_stroke(out, &curve, stroke)?;
    }
    for (node, stroke) in &part.loops {
        let ((x, y), (width, height)) = (drawing.tops[*node], sizes[*node]);
        let right = x + width / 2.0;
        let (up, down) = (y + height / 3.0, y + height * 2.0 / 3.0);
        let out_x = right + LOOP;
        write_stroke(
            out,
            &format!("M {right:.1} {down:.1} C {out_x:.1} {down:.1}, {out_x:.1} {up:.1}, {right:.1} {up:.1}"),
            stroke,
        )?;
        if !stroke.label.is_empty() {
            let (label, _) = text_size(&stroke.label, FONT);
            write_text(out, (right + label / 2.0, y + height + FONT as f64 / 2.0), &stroke.label)?;
        }
    }
    for (i, id) in part.nodes.iter().enumerate() {
        let node = &graph.nodes[*id];
        let ((x, y), (width, height)) = (drawing.tops[i], sizes[i]);
        let round = match node.kind {
            NodeKind::Function
            | NodeKind::External
            | NodeKind::Indirect
            | NodeKind::Instruction
            | NodeKind::Return
            | NodeKind::Phi
            | NodeKind::PhiOperand
            | NodeKind::MemoryPhi
            | NodeKind::MemoryDef
            | NodeKind::Shared
            | NodeKind::Pointer => 8,
            NodeKind::Entry
            | NodeKind::Block
            | NodeKind::Exit
            | NodeKind::Predicate
            | NodeKind::CallSite
            | NodeKind::FormalIn
            | NodeKind::FormalOut
            | NodeKind::ActualIn
            | NodeKind::ActualOut
            | NodeKind::Object => 0,
        };
        write!(
            out,
            "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{round}\" \
             fill=\"{}\" stroke=\"{INK}\">",
            x - width / 2.0,
            node.kind.fill()
        )?;
        if let Some(at) = &node.place {
            write!(out, "<title>{}</title>", escaped(&format!("{}:{}", at.file.display(), at.line)))?;
        }
        writeln!(out, "</rect>")?;
        write_text(out, (x, y + height / 2.0), &node.label)?;
    }
    for (route, stroke) in drawing.routes.iter().zip(&part.strokes) {
        if let Some((x, y)) = route.label {
            let (width, height) = text_size(&stroke.label, FONT);
            writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"white\"/>",
                x - width / 2.0,
                y - height / 2.0
            )?;
            write_text(out, (x, y), &stroke.label)?;
        }
    }
    Ok(())
}

fn write_stroke(out: &mut String, curve: &str, stroke: &Stroke) -> fmt::Result {
    let pen = match stroke.pen {
        Pen::Plain => "",
        Pen::Bold => " stroke-width=\"2\"",
        Pen::Dashed => " stroke-dasharray=\"5,4\"",
        Pen::Dotted => " stroke-dasharray=\"1,3\"",
    };
    let color = stroke.color;
    let head = if stroke.upwards { "marker-start=\"url(#start)\"" } else { "marker-end=\"url(#end)\"" };
    writeln!(out, "<path d=\"{curve}\" fill=\"none\" stroke=\"{color}\"{pen} {head}/>")
}

/// Text around its middle, its lines beginning at one column.
fn write_text(out: &mut String, middle: Point, text: &str) -> fmt::Result {
    let (width, height) = text_size(text, FONT);
    let x = middle.0 - width / 2.0;
    let step = FONT as f64 * LINE_HEIGHT;
    for (i, line) in text.lines().enumerate() {
        let y = middle.1 - height / 2.0 + step * (i as f64 + 0.8);
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line))?;
    }
    Ok(())
}

/// The whole picture: parts side by side, in shelves.
#[derive(Default)]
struct Page {
    content: String,
    /// The right end of the shelf, its top, its height, and the greatest width so far.
    x: f64,
    y: f64,
    shelf: f64,
    width: f64,
}

impl Page {
    fn new_shelf(&mut self) {
        if self.shelf > 0.0 {
            self.y += self.shelf + MARGIN;
        }
        self.x = 0.0;
        self.shelf = 0.0;
    }

    fn heading(&mut self, text: &str) -> fmt::Result {
        self.new_shelf();
        let font = FONT + 2;
        let (width, height) = text_size(text, font);
        self.y += MARGIN + height;
        self.width = self.width.max(width + 2.0 * MARGIN);
        let y = self.y;
        let text = escaped(text);
        writeln!(
            self.content,
            "<text x=\"{MARGIN}\" y=\"{y:.1}\" font-size=\"{font}\" font-weight=\"bold\">{text}</text>"
        )
    }

    fn add(&mut self, graph: &Graph, part: &Part) -> fmt::Result {
        let sizes: Vec<Point> = part
            .nodes
            .iter()
            .map(|id| text_size(&graph.nodes[*id].label, FONT))
            .map(|(width, height)| (width + 16.0, height + 12.0))
            .collect();
        let mut room = sizes.clone();
        for (node, stroke) in &part.loops {
            room[*node].0 += 2.0 * text_size(&stroke.label, FONT).0.max(LOOP);
        }
        let drawing = layered::layout(&room, &part.lines);
        let (width, height) = drawing.size;
        if self.x > 0.0 && self.x + width + MARGIN > WIDTH {
            self.new_shelf();
        }
        writeln!(self.content, "<g transform=\"translate({:.1},{:.1})\">", self.x + MARGIN, self.y + MARGIN)?;
        write_part(&mut self.content, graph, part, &drawing, &sizes)?;
        writeln!(self.content, "</g>")?;
        self.x += width + MARGIN;
        self.width = self.width.max(self.x);
        self.shelf = self.shelf.max(height);
        Ok(())
    }

    fn finish(self) -> String {
        let (width, height) = (self.width + MARGIN, self.y + self.shelf + 2.0 * MARGIN);
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"monospace\" font-size=\"{FONT}\">\n\
             <defs>\n\
             <marker id=\"start\" markerWidth=\"10\" markerHeight=\"8\" refX=\"0\" refY=\"4\" orient=\"auto\">\
             <path d=\"M 10 0 L 0 4 L 10 8 z\" fill=\"{INK}\"/></marker>\n\
             <marker id=\"end\" markerWidth=\"10\" markerHeight=\"8\" refX=\"10\" refY=\"4\" orient=\"auto\">\
             <path d=\"M 0 0 L 10 4 L 0 8 z\" fill=\"{INK}\"/></marker>\n\
             </defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            self.content
        )
    }
}
