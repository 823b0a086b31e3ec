if vim.g.loaded_clada then
  return
end
vim.g.loaded_clada = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.api.nvim_err_writeln('clada needs Neovim 0.10 or later')
  return
end

vim.api.nvim_create_user_command('Clada', function(args)
  require('clada').command(args)
end, {
  nargs = '*',
  bang = true,
  range = true,
  complete = function(lead, line)
    return require('clada').complete(lead, line)
  end,
  desc = 'Apply, review and undo the answers of language models',
})

for _, name in ipairs({ 'apply', 'paste', 'review', 'undo', 'redo', 'history', 'report', 'embed', 'approve', 'inline', 'accept', 'reject',
  'next', 'prev' }) do
  vim.keymap.set('n', ('<Plug>(clada-%s)'):format(name), ('<Cmd>Clada %s<CR>'):format(name), { desc = 'clada: ' .. name })
end
for _, name in ipairs({ 'apply', 'embed' }) do
  vim.keymap.set('x', ('<Plug>(clada-%s)'):format(name), (':Clada %s<CR>'):format(name), {
    desc = 'clada: ' .. name,
    silent = true,
  })
end
