/* A mistake, to show how it is told. */
int main(void) {
    return 1 +;
}
