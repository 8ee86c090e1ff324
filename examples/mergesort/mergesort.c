int data[100], temp[100]; /* Figure 1: README.md says what is asked of it. */
int printf(const char *, ...);

void move(int *from, int first, int last,
          int *to, int index) {
    while (first <= last)
        to[index++] = from[first++];
}

void merge(int first, int mid, int last) {
    int index, index1, index2;

    index = 0;
    index1 = first;
    index2 = mid + 1;

    while (index1 <= mid && index2 <= last) {
        if (data[index1] < data[index2])
            temp[index++] = data[index1++];
        else
            temp[index++] = data[index2++];
    }

    if (index1 > mid)
        move(data, index2, last, temp, index);
    else
        move(data, index1, mid, temp, index);

    move(temp, 0, last - first, data, first);
}

void mergesort(int left, int right) {
    int m;
    m = (left + right) / 2;
    if (left < right) {
        mergesort(left, m);
        mergesort(m + 1, right);
        merge(left, m, right);
    }
}

int main(void) {
    int i;

    data[0] = 999;
    data[1] = 1;
    data[2] = 23;
    data[3] = 55;
    data[4] = 44;

    mergesort(0, 4);

    for (i = 0; i < 5; ++i) {
        printf("%d ", data[i]);
    }
    printf("\n");

    return 0;
}
