/**
 * clada's MCP server, offered to the agent of the editor.
 *
 * Editors have the call from 1.101 on; in an older one nothing is offered, and `.vscode/mcp.json` does the same.
 */

import type * as vscode from 'vscode';

/** What of the editor is needed; older ones have none of it. */
export interface McpEditor {
  readonly lm?: {
    registerMcpServerDefinitionProvider?(id: string, provider: { provideMcpServerDefinitions(): unknown[] }): vscode.Disposable;
  };
  readonly McpStdioServerDefinition?: new (
    label: string, command: string, args: string[], env: Record<string, string>, version: string) => unknown;
}

/** Offers the daemon as a server of tools, once the workspace is trusted. Returns nothing if the editor has no such call. */
export function offerServer(editor: McpEditor, version: string, daemon: () => string, isTrusted: () => boolean): vscode.Disposable | undefined {
  const Definition = editor.McpStdioServerDefinition;
  if (!Definition) {
    return undefined;
  }
  return editor.lm?.registerMcpServerDefinitionProvider?.('clada', {
    provideMcpServerDefinitions: () => isTrusted() ? [new Definition('clada', daemon(), ['mcp'], {}, version)] : [],
  });
}
