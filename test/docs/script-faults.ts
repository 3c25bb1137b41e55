import path from 'node:path';
import ts from 'typescript';
import { root } from './documents.ts';

const config = path.join(root, 'tsconfig.worker.json');

/** Type-checks integration scripts as if each was a source file of a built-in integration. Returns the errors. */
export function listTypeErrors(scripts: string[]): string[] {
  const getFile = (index: number) => path.join(root, `integrations/analytics/src/documented-${index}.ts`);
  const texts = new Map(scripts.map((text, index) => [getFile(index), text]));
  const read = ts.readConfigFile(config, ts.sys.readFile).config as object;
  const { options } = ts.parseJsonConfigFileContent({ ...read, include: [] }, ts.sys, root);
  const host = ts.createCompilerHost({ ...options, incremental: false });
  const { readFile, fileExists } = host;
  host.readFile = (name) => texts.get(name) ?? readFile.call(host, name);
  host.fileExists = (name) => texts.has(name) || fileExists.call(host, name);
  const program = ts.createProgram([...texts.keys()], { ...options, incremental: false }, host);
  return [...texts.keys()].flatMap((name) => {
    const source = program.getSourceFile(name);
    const diagnostics = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  });
}
