int data[100];
int temp[100];

void move (int* fromlist, int first, int last,
          int* tolist, int index) {
    while (first <= last)
        tolist[index++] = fromlist[first++];
}

void merge (int first, int mid, int last) {
    int index, index1, index2;

    index = 0;
    index1 = first;
    index2 = mid + 1;

    while ((index1 <= mid) && (index2 <= last))
    { if (data[index1] < data[index2])
      temp[index++] = data[index1++];
      else
        temp[index++] = data[index2++];
    }

    if (index1 > mid)
        move (data, index2, last, temp, index);
    else
        move (data, index1, mid, temp, index);

    move(temp, 0, last-first, data, first);
}

void mergesort (int left, int right) {
    int m;
    m = (left+right) / 2;
    if (left < right) {
        mergesort (left, m);
        mergesort (m + 1, right);
        merge (left, m, right);
    }
}

int main () {
    int i;

    data[0]=999;
    data[1]=1;
    data[2]=23;
    data[3]=55;
    data[4]=44;

    mergesort (0, 4);

    for (i=0; i < 5; ++i) {
        printf ("%d ",data[i]);
    }
    printf ("\n");

    return 0;
}
//@ data 34 -> 36
//@ data 34 -> 37
//@ data 34 -> 38
//@ control 35 -> 36 true
//@ control 35 -> 38 true
//@ control 17 -> 18 true
//@ control 18 -> 19 true
//@ control 18 -> 21 false
//@ control 6 -> 7 true
//@ data 13 -> 19
//@ data 13 -> 21
//@ data 14 -> 17
//@ data 15 -> 17
//@ data 14 -> 18
//@ data 15 -> 18
//@ carried 19 -> 17
//@ carried 21 -> 17
//@ carried 19 -> 21
//@ carried 21 -> 19
//@ carried 7 -> 6
//@ carried 53 -> 53
//@ chop 45 -> 21 has 10 18 21 32 38 45 51
//@ chop 49 -> 21 has 10 18 21 32 38 49 51
//@ chop 45 -> 21 not 53 54 56 58
//@ chop 45 -> 54 has 7 29 38 45 51 54
//@ not 51 = 53 54 56
//@ has 54:data = 7 19 21 29 34 35 38 45 46 47 48 49 51 53
