import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';

const require = createRequire(import.meta.url);

// Node strips types from TypeScript but does not support JSX, so this hook compiles it.
registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('.tsx')) return nextLoad(url, context);
    const ts = require('typescript') as typeof import('typescript');
    const { outputText } = ts.transpileModule(readFileSync(new URL(url), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ESNext,
        module: ts.ModuleKind.ESNext,
        jsx: ts.JsxEmit.ReactJSX,
        jsxImportSource: 'preact',
        verbatimModuleSyntax: true,
      },
    });
    return { format: 'module', source: outputText, shortCircuit: true };
  },
});
