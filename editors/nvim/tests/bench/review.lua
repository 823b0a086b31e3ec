--- Measures how long a review takes to open: nvim --headless -u NONE -l editors/nvim/tests/bench/review.lua
---
--- A file of 10 MB with 500 hunks, from the plan's result on, beside reading the same file in this Neovim; and the
--- longest time that the editor could do nothing else meanwhile.

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
vim.opt.runtimepath:prepend(vim.fs.dirname(vim.fs.dirname(here)))
vim.o.swapfile = false

local root = assert(vim.uv.fs_mkdtemp('/tmp/clada-nvim-bench-XXXXXX'))
local LINES, HUNKS = 200000, 500
local lines, hunks = {}, {}
for index = 1, LINES do
  lines[index] = ('line %06d of a file that is as long as files get to be'):format(index)
end
for index = 1, HUNKS do
  local start = (index - 1) * (LINES / HUNKS) + 7
  hunks[index] = {
    id = 'h' .. index, start = start, group = 'g' .. index, parts = { 'a1' },
    removed = { lines[start + 1] .. '\n' }, added = { 'another line\n', 'and one more\n' },
  }
end
local path = root .. '/large.txt'
local file = assert(io.open(path, 'wb'))
file:write(table.concat(lines, '\n'), '\n')
file:close()

local function timed(work)
  local began = vim.uv.hrtime()
  work()
  return (vim.uv.hrtime() - began) / 1e6
end

local plan = {
  planId = 'p1', expiresInMs = 1000, totalBlocks = 1, parseErrors = {}, approvals = {}, diff = '',
  actions = { { id = 'a1', seq = 1, task = '1', action = 'file_patch', path = 'large.txt', hunks = hunks } },
  files = { { path = 'large.txt', uri = vim.uri_from_fname(path), kind = 'change', hunks = hunks } },
}
local review, model_of = require('clada.review'), require('clada.model')
local function open()
  local flow = { root = root, text = '', source = 'the bench', review = true, documents = {}, conflicts = 0 }
  review.open(flow, model_of.new(plan, function() end))
  vim.cmd('redraw!')
end
local reads, opens = {}, {}
for round = 1, 5 do
  reads[round] = timed(function()
    vim.cmd('silent edit! ' .. path)
    vim.cmd('redraw!')
  end)
  vim.cmd('silent bwipeout!')
  opens[round] = timed(open)
  review.close(root)
end
table.sort(reads)
table.sort(opens)
io.stdout:write(('%d MB, %d hunks: the review opens in %.0f ms, median of 5; reading the file takes %.0f ms; ratio %.2f\n'):format(
  vim.uv.fs_stat(path).size / 1e6, HUNKS, opens[3], reads[3], opens[3] / reads[3]))
vim.fn.delete(root, 'rf')
vim.cmd('qa!')
