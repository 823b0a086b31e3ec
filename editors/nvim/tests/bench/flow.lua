--- Measures how long the editor can do nothing else: nvim --headless -u NONE -l editors/nvim/tests/bench/flow.lua
---
--- With the client and daemon of CLADA_CLIENT and CLADA_DAEMON. A timer of 1 ms notes the most time of the processor that
--- the editor takes between two of its calls, from the command to the review, while the answer is applied, and while
--- it is undone: for 20 hunks in 6 files, 2 of them modified; for a file of 50,000 lines, modified, with 100 hunks and with
--- every line changed; and for 500 hunks in a file of 10 MB that is in no buffer, in one, and modified. WORD in the
--- environment picks the cases with that word.

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
vim.opt.runtimepath:prepend(vim.fs.dirname(vim.fs.dirname(here)))
vim.o.swapfile, vim.o.shada = false, ''

local top = vim.uv.fs_realpath(assert(vim.uv.fs_mkdtemp('/tmp/clada-nvim-bench-XXXXXX')))
for name, folder in pairs({ HOME = 'home', XDG_CONFIG_HOME = 'config', XDG_STATE_HOME = 'state', RUN = 'run' }) do
  vim.fn.mkdir(top .. '/' .. folder, 'p', tonumber('700', 8))
  vim.env[name] = top .. '/' .. folder
end
vim.env.CLADA_SOCKET = top .. '/run/s'

local clada, rpc = require('clada'), require('clada.rpc')
clada.setup({ client = vim.env.CLADA_CLIENT, daemon = vim.env.CLADA_DAEMON, quickfix = 'never' })
local notes = {}
vim.notify = function(message)
  table.insert(notes, message)
end

--- Returns the nanoseconds of the processor that the editor has taken.
local function own()
  local usage = vim.uv.getrusage()
  return (usage.utime.sec + usage.stime.sec) * 1e9 + (usage.utime.usec + usage.stime.usec) * 1e3
end

local last, longest, timer = 0, 0, assert(vim.uv.new_timer())
timer:start(0, 1, function()
  local now = own()
  longest, last = math.max(longest, now - last), now
end)

--- Returns the longest time of a phase that the editor could do nothing else, and how long it took, in ms.
local function phase(work, condition)
  vim.wait(20, function() end, 1)
  local began = vim.uv.hrtime()
  last, longest = own(), 0
  work()
  if not vim.wait(60000, condition, 1) then
    error(('never came: %s\n%s'):format(table.concat(notes, '\n'), (require('clada.problems').reports or {}).text))
  end
  vim.wait(5, function() end, 1)
  return longest / 1e6, (vim.uv.hrtime() - began) / 1e6
end

local projects = 0
local function project(files, lines)
  projects = projects + 1
  local root = ('%s/project%d'):format(top, projects)
  vim.fn.mkdir(root .. '/.clada', 'p')
  for index = 1, files do
    local text = {}
    for line = 1, lines do
      text[line] = ('line %06d of a file that is as long as files get to be\n'):format(line)
    end
    local file = assert(io.open(('%s/file%d.txt'):format(root, index), 'wb'))
    file:write(table.concat(text))
    file:close()
  end
  return root
end

--- A patch of `hunks` hunks in all, the same number in each of `files` files.
local function answer(files, lines, hunks)
  local text = { '```diff' }
  if hunks == lines then
    -- One hunk of the whole file, but for what the test types.
    table.insert(text, ('--- a/file1.txt\n+++ b/file1.txt\n@@ -2,%d +2,%d @@'):format(lines - 1, lines - 1))
    for _, form in ipairs({ '-line %06d of a file that is as long as files get to be', '+another line %06d' }) do
      for line = 2, lines do
        table.insert(text, form:format(line))
      end
    end
    return table.concat(text, '\n') .. '\n```\n'
  end
  for file = 1, files do
    table.insert(text, ('--- a/file%d.txt\n+++ b/file%d.txt'):format(file, file))
    local count = math.floor(hunks * file / files) - math.floor(hunks * (file - 1) / files)
    for index = 1, count do
      local line = math.floor((index - 0.5) * lines / count)
      table.insert(text, ('@@ -%d,1 +%d,2 @@\n-line %06d of a file that is as long as files get to be\n+another line\n+and one more')
        :format(line, line + index - 1, line))
    end
  end
  return table.concat(text, '\n') .. '\n```\n'
end

local function noted(part)
  return function()
    return vim.iter(notes):any(function(note) return note:find(part, 1, true) ~= nil end)
  end
end

local function run(files, lines, hunks, prepare)
  local root = project(files, lines)
  prepare(root)
  notes = {}
  local text = answer(files, lines, hunks)
  local found = {}
  local function add(...)
    vim.list_extend(found, { ... })
  end
  add(phase(function()
    clada.apply({ root = root, text = text })
  end, function()
    return vim.bo.filetype == 'clada-review'
  end))
  add(phase(function() vim.cmd('redraw!') end, function() return true end))
  add(phase(function() vim.cmd('write') end, noted(files .. ' done')))
  add(phase(function() clada.undo({ root = root }) end, noted('undid')))
  vim.cmd('silent! %bwipeout!')
  return found
end

local function open(count, modified)
  return function(root)
    for index = 1, count do
      vim.cmd(('silent edit %s/file%d.txt'):format(root, index))
      if index <= modified then
        vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'typed' })
      end
    end
    vim.cmd('enew')
  end
end

local ended
rpc.request('status', nil, function()
  ended = true
end)
vim.wait(10000, function() return ended end, 1)
local ROUNDS = tonumber(vim.env.ROUNDS) or 5
io.stdout:write('longest block in ms (of how many ms), medians of ' .. ROUNDS .. ': to the review, redraw, carrying out, undo\n')
local cases = vim.tbl_filter(function(case)
  return case[1]:find(vim.env.WORD or '', 1, true) ~= nil
end, {
  { '20 hunks in 6 files, 2 modified', 6, 400, 20, open(6, 2) },
  { '100 hunks in 50,000 lines, modified', 1, 50000, 100, open(1, 1) },
  { 'all of 50,000 lines, modified', 1, 50000, 50000, open(1, 1) },
  { '500 hunks in 10 MB, in no buffer', 1, 170000, 500, open(0, 0) },
  { '500 hunks in 10 MB, in a buffer', 1, 170000, 500, open(1, 0) },
  { '500 hunks in 10 MB, modified', 1, 170000, 500, open(1, 1) },
})
for _, case in ipairs(cases) do
  local rounds = {}
  for round = 1, ROUNDS do
    rounds[round] = run(unpack(case, 2))
  end
  local medians = {}
  for column = 1, 8 do
    local values = vim.tbl_map(function(round) return round[column] end, rounds)
    table.sort(values)
    medians[column] = values[math.ceil(#values / 2)]
  end
  io.stdout:write(('%-36s %4.0f (%.0f)  %4.0f (%.0f)  %4.0f (%.0f)  %4.0f (%.0f)\n'):format(case[1], unpack(medians)))
end
timer:stop()
local over
rpc.stop(true, function() over = true end)
vim.wait(3000, function() return over end, 5)
vim.wait(300, function() end, 10)
vim.fn.delete(top, 'rf')
vim.cmd('qa!')
