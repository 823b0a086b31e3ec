--- Settings of the plugin. They come from `setup` alone: nothing in a project, a file or a buffer is read.

local M = {}

local defaults = {
  client = 'clada-client',
  daemon = 'clada-daemon',
  review = true,
  layout = 'tab',
  context = 3,
  copy_report = 'failures',
  quickfix = 'open',
  diagnostics = false,
  notices = true,
  signs = { accepted = '✓', left_out = '✗', waits = '!', proposed = '?' },
}

local choices = {
  layout = { 'tab', 'split', 'vsplit' },
  copy_report = { 'failures', 'always', 'never' },
  quickfix = { 'open', 'fill', 'never' },
}

local function check(given, known, prefix)
  local wrong = {}
  for key, value in pairs(given) do
    local name = prefix .. tostring(key)
    if known[key] == nil then
      wrong[#wrong + 1] = ('%s is no setting; there are %s'):format(
        name, table.concat(vim.fn.sort(vim.tbl_keys(known)), ', '))
    elseif type(value) ~= type(known[key]) then
      wrong[#wrong + 1] = ('%s is a %s, not a %s'):format(name, type(known[key]), type(value))
    elseif choices[name] and not vim.tbl_contains(choices[name], value) then
      wrong[#wrong + 1] = ('%s is one of %s'):format(name, table.concat(choices[name], ', '))
    elseif type(value) == 'table' then
      vim.list_extend(wrong, check(value, known[key], name .. '.'))
    end
  end
  return wrong
end

--- Takes the settings of the user. Wrong ones are named, and nothing is taken then.
function M.set(given)
  local wrong = check(given, defaults, '')
  if #wrong > 0 then
    error('clada.setup: ' .. table.concat(wrong, '; '), 0)
  end
  for key, value in pairs(vim.tbl_deep_extend('force', defaults, given)) do
    M[key] = value
  end
end

M.set({})

return M
