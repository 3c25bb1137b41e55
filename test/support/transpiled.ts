import { readFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');
const compilerOptions = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };

/** Transpiles a workspace file to a module for a test runtime that keeps all modules in one folder. */
export async function getModule(file: string) {
  const { outputText } = ts.transpileModule(await readFile(path.join(root, file), 'utf8'), { compilerOptions });
  return { type: 'ESModule' as const, path: `/${path.basename(file)}`, contents: outputText };
}
