import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

/** Files to keep of font packages: the regular and the bold weight, or the variable font with all weights. */
const fonts = ['metadata.json', 'unicode.json', /^files\/[a-z\d-]+-(wght|400|700)-(normal|italic)\.woff2$/];

/** Files and folders to keep of large packages. If all of them start with `!`, all other files are kept. */
const kept = {
  '@fontsource': fonts,
  '@fontsource-variable': fonts,
  '@expo-google-fonts': ['400Regular', '700Bold'],
  '@expo-google-fonts/noto-emoji': ['400Regular'],
  '@expo-google-fonts/noto-sans': ['400Regular', '700Bold', '400Regular_Italic', '700Bold_Italic'],
  '@expo-google-fonts/noto-sans-jp': ['400Regular'],
  '@expo-google-fonts/noto-sans-kr': ['400Regular'],
  '@expo-google-fonts/noto-sans-sc': ['400Regular'],
  '@octokit/openapi': ['generated/api.github.com.json'],
  '@scalar/api-reference': ['dist/browser/standalone.js'],
  '@fortawesome/fontawesome-free': ['svgs'],
  '@modelcontextprotocol/sdk': ['dist/esm'],
  'drizzle-orm': [/(?<!\.(?:cjs|d\.cts))$/],
  mermaid: ['dist/mermaid.esm.min.mjs', 'dist/chunks/mermaid.esm.min'],
  miniflare: ['dist/src'],
  moment: ['moment.js'],
  node: ['bin'],
  npm: ['docs'],
  'pdfjs-dist': ['legacy/build/pdf.mjs', 'legacy/build/pdf.d.mts', 'legacy/build/pdf.worker.mjs', 'types'],
  pdfkit: ['js/data', 'js/pdfkit.browser.mjs', 'js/pdfkit.js', 'js/pdfkit.node.mjs', 'js/standard-fonts'],
  'svg-to-pdfkit': ['source.js'],
  temml: ['dist/temml.mjs', 'dist/temml.d.ts'],
  typescript: ['!lib/_tsc.js'],
  workerd: ['!worker.mjs'],
  xml2js: ['!lib/xml2js.bc.js'],
  zod: ['!src'],
};
const always = /^(package\.json|licen[cs]e.*)$/i;
const sourceMap = /\.([cm]?[jt]s|css)\.map$/;

function* filesIn(folder, inside = '') {
  for (const entry of readdirSync(path.join(folder, inside), { withFileTypes: true })) {
    const name = path.posix.join(inside, entry.name);
    if (entry.isDirectory()) yield* filesIn(folder, name);
    else if (entry.isFile()) yield name;
  }
}

function keepOnly(folder, names) {
  const isUnder = (file, name) => file === name || file.startsWith(`${name}/`);
  const isNamed = (file, name) => {
    if (name instanceof RegExp) return name.test(file);
    return name.startsWith('!') ? !isUnder(file, name.slice(1)) : isUnder(file, name);
  };
  const isKept = (file) => always.test(file) || names.some((name) => isNamed(file, name));
  for (const file of filesIn(folder)) if (!isKept(file)) rmSync(path.join(folder, file));
}

/** Deletes what no script and no test reads from the installed packages. */
export function keepUsedFiles(modules) {
  const store = path.join(modules, '.pnpm');
  for (const folder of readdirSync(store)) {
    const [, name] = /^(@?[^@]+)@/.exec(folder)?.map((part) => part.replace('+', '/')) ?? [];
    const names = kept[name] ?? kept[name?.split('/')[0]];
    if (names) keepOnly(path.join(store, folder, 'node_modules', name), names);
  }
  for (const file of filesIn(store)) if (sourceMap.test(file)) rmSync(path.join(store, file));
}
