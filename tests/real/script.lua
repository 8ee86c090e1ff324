-- A real script: closures, metatables, coroutines, strings, sorting, errors, integers and floats, garbage collection.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print("fib", fib(16))

local Point = {}
Point.__index = Point
Point.__add = function(a, b) return Point.new(a.x + b.x, a.y + b.y) end
Point.__tostring = function(p) return string.format("(%g, %g)", p.x, p.y) end
Point.__eq = function(a, b) return a.x == b.x and a.y == b.y end
Point.__lt = function(a, b) return a.x < b.x end
function Point.new(x, y) return setmetatable({ x = x, y = y }, Point) end
print(tostring(Point.new(1, 2) + Point.new(0.5, -3)), Point.new(1, 1) == Point.new(1, 1), Point.new(1, 0) < Point.new(2, 0))

local function permutations(a, n)
  n = n or #a
  if n <= 1 then coroutine.yield(table.concat(a)) else
    for i = 1, n do
      a[n], a[i] = a[i], a[n]
      permutations(a, n - 1)
      a[n], a[i] = a[i], a[n]
    end
  end
end
local all = {}
for p in coroutine.wrap(function() permutations({ "a", "b", "c", "d" }) end) do all[#all + 1] = p end
table.sort(all)
print(#all, all[1], all[24])

local words = {}
for w in ("the quick brown fox jumps over the lazy dog the end"):gmatch("%a+") do words[w] = (words[w] or 0) + 1 end
local keys = {}
for k in pairs(words) do keys[#keys + 1] = k end
table.sort(keys, function(a, b) if words[a] ~= words[b] then return words[a] > words[b] end return a < b end)
for i = 1, 4 do print(keys[i], words[keys[i]]) end

print(("%5d|%-8s|%08.3f|%x|%q"):format(42, "left", 3.14159, 255, "a\nb"))
print(("hello world"):gsub("o", "0"), ("key=value"):match("(%w+)=(%w+)"), ("abc"):rep(3, "-"), ("abc"):reverse():upper())
print(10 // 3, -10 // 3, 10 % -3, 7 / 2, 2 ^ 10, 1 << 62, 5 & 3, ~0, 1e15, 2^53 == 2^53 + 1, math.maxinteger + 1 == math.mininteger)
print(tostring(1e100), 0x10p2, tonumber("0x1F"), tonumber("  12  "), tonumber("z", 36), math.type(1), math.type(1.0), 3 | 0)
print(pcall(error, { code = 1 }), select("#", 1, nil, 3), pcall(function() return nil .. "x" end))
print(xpcall(function() error("deep", 0) end, function(m) return "handled " .. m end))
local ok, message = pcall(function() local t = setmetatable({}, { __index = function(_, k) error("no field " .. k, 0) end }) return t.missing end)
print(ok, message)

local t = {}
for i = 1, 2000 do t[i] = (i * 7919) % 2003 end
table.sort(t)
local sum = 0
for i, v in ipairs(t) do sum = sum + i * v end
print(sum, t[1], t[2000], #t)
collectgarbage()
local weak = setmetatable({}, { __mode = "k" })
weak[{}] = 1
collectgarbage()
print(next(weak))
local function vararg(...) local a, b = ... return select("#", ...), a, b, ... end
print(vararg(1, nil, 3))
goto done
print("never")
::done::
print(string.byte("A"), ("x"):byte(-1), utf8.char(233, 8364), #utf8.char(8364), table.unpack({ 1, 2, 3 }, 2))
print(load("return 1 + ...")(41), loadstring, string.pack("<i4", 100):byte(1), os.time { year = 2020, month = 1, day = 1, hour = 12 } ~= nil)
