rockspec_format = '3.0'
package = 'clada.nvim'
version = 'scm-1'
source = { url = 'git+https://github.com/clada/clada.nvim' }
description = {
  summary = 'Reviews, applies and undoes the answers of language models',
  detailed = [[
    Shows what an answer would do to a project hunk by hunk, applies what you accept to buffers and files as one
    operation, and undoes all of it. All work is done by the local daemon of clada.
  ]],
  homepage = 'https://github.com/clada/clada',
  license = 'MIT OR Apache-2.0',
  labels = { 'neovim', 'llm', 'diff', 'patch' },
}
dependencies = { 'lua == 5.1' }
build = { type = 'builtin', copy_directories = { 'doc', 'plugin' } }
