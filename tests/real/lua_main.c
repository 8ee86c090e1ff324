/* Runs a script given as argument: the package of lua's sources has no main of its own. */
#include <stdio.h>
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

int main(int argc, char **argv) {
    lua_State *state = luaL_newstate();
    if (argc < 2 || state == NULL) return 2;
    luaL_openlibs(state);
    if (luaL_dofile(state, argv[1])) {
        printf("error: %s\n", lua_tostring(state, -1));
        lua_close(state);
        return 1;
    }
    lua_close(state);
    return 0;
}
