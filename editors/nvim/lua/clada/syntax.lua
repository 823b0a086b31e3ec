--- Syntax colours in a review: the lines of a hunk are coloured as tree-sitter colours them in their file, where Neovim
--- has a parser for it. Signs and `+` or `-` tell what comes and goes; colours add to that.

local rpc = require('clada.rpc')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('clada.syntax')
local MOST_LINES, MOST_HUNKS = 400, 300

--- The language of a file that Neovim has a parser for.
local function language_of(path)
  local filetype = vim.filetype.match({ filename = path })
  local language = filetype and vim.treesitter.language.get_lang(filetype)
  local has_parser = language and pcall(vim.treesitter.language.add, language)
    and pcall(vim.treesitter.get_string_parser, '', language)
  return has_parser and vim.treesitter.query.get(language, 'highlights') and language or nil
end

--- Colours rows of a buffer, whose lines have a sign before the text of the file.
---@param rows integer[] The rows, from 0, in the order of their lines.
local function colour(buffer, language, rows)
  local lines = vim.tbl_map(function(row)
    return (vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ''):sub(2)
  end, rows)
  local text = table.concat(lines, '\n')
  local parser = vim.treesitter.get_string_parser(text, language)
  local tree = parser:parse()[1]
  local query = vim.treesitter.query.get(language, 'highlights')
  for id, node in query:iter_captures(tree:root(), text) do
    local name = query.captures[id]
    local first, from, last, to = node:range()
    for at = first, math.min(last, #rows - 1) do
      if name:sub(1, 1) ~= '_' and name ~= 'spell' and name ~= 'nospell' then
        pcall(vim.api.nvim_buf_set_extmark, buffer, NAMESPACE, rows[at + 1], (at == first and from or 0) + 1, {
          end_col = (at == last and to or #lines[at + 1]) + 1, hl_group = ('@%s.%s'):format(name, language), priority = 90,
        })
      end
    end
  end
end

--- Colours the hunks of a review. Between them the editor may do other things; one that is shown anew ends it.
function M.show(review)
  local buffer, rows_then = review.buffer, review.rows
  vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
  local sides, order, languages = {}, {}, {}
  for at, row in ipairs(review.rows) do
    if row.hunk and not row.head then
      if not sides[row.hunk] then
        sides[row.hunk] = { path = row.file.file.path, old = {}, new = {} }
        table.insert(order, row.hunk)
      end
      local sign = vim.api.nvim_buf_get_lines(buffer, at - 1, at, false)[1]:sub(1, 1)
      if sign ~= '+' then
        table.insert(sides[row.hunk].old, at - 1)
      end
      if sign ~= '-' then
        table.insert(sides[row.hunk].new, at - 1)
      end
    end
  end
  rpc.run(function()
    for index, part in ipairs(order) do
      local side = sides[part]
      if languages[side.path] == nil then
        languages[side.path] = language_of(side.path) or false
      end
      if index > MOST_HUNKS or not vim.api.nvim_buf_is_valid(buffer) or review.rows ~= rows_then then
        return
      end
      if languages[side.path] and #side.old + #side.new <= MOST_LINES then
        for _, rows in ipairs({ side.old, side.new }) do
          pcall(colour, buffer, languages[side.path], rows)
        end
        rpc.pause()
      end
    end
  end)
end

return M
