import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A file that pages load. */
interface FontFile {
  /** The path below the folder of these files. */
  name: string;
  bytes: Uint8Array;
}

interface FontPackage {
  version: string;
  id: string;
  family: string;
  weights: number[];
  /** Of each script that a font has files for, the characters. */
  ranges: Record<string, string>;
  /** Where the files are. */
  from: string;
}

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));
const json = async <Value>(file: string): Promise<Value> => JSON.parse(await readFile(file, 'utf8')) as Value;

async function readPackage(folder: string): Promise<FontPackage> {
  const [{ version }, { id, family, weights }, ranges] = await Promise.all([
    json<{ version: string }>(`${folder}/package.json`),
    json<Pick<FontPackage, 'id' | 'family' | 'weights'>>(`${folder}/metadata.json`),
    json<Record<string, string>>(`${folder}/unicode.json`),
  ]);
  return { version, id, family, weights, ranges, from: `${folder}/files` };
}

/** What is read of the name of a file: `roboto-latin-ext-wght-italic.woff2`. */
interface Face {
  file: string;
  script: string;
  weight: string;
  style: string;
}

function facesIn({ id, weights }: FontPackage, names: string[]): Face[] {
  return names.flatMap((file): Face[] => {
    const [, script, weight, style] =
      /^(.+)-(wght|400|700)-(normal|italic)\.woff2$/.exec(file.slice(id.length + 1)) ?? [];
    if (script === undefined || weight === undefined || style === undefined) return [];
    const span = weight === 'wght' ? `${Math.min(...weights)} ${Math.max(...weights)}` : weight;
    return [{ file, script, weight: span, style }];
  });
}

/** Faces are used where they are there in time, so that no text moves. */
const ruleOf = ({ family, id, version, ranges }: FontPackage, { file, script, weight, style }: Face): string =>
  `@font-face{font-family:"${family}";font-style:${style};font-weight:${weight};font-display:optional;` +
  `src:url("${id}-${version}/${file}") format("woff2");unicode-range:${ranges[script]}}`;

/** A font that pages can be set in. */
export interface ReaderFont {
  stylesheet: FontFile;
  /** The files that the stylesheet names, in a folder with the version in its name. */
  faces: FontFile[];
  /** Of each script, the files that most of its text and its headings are set in, by the names that are asked for. */
  upright: Record<string, string>;
}

async function readFont(folder: string): Promise<ReaderFont> {
  const font = await readPackage(folder);
  const faces = facesIn(font, (await readdir(font.from)).sort()).filter(({ script }) => script in font.ranges);
  const nameOf = ({ file }: Face) => `fonts/${font.id}-${font.version}/${file}`;
  const upright = faces.filter(({ style }) => style === 'normal');
  return {
    stylesheet: {
      name: `fonts/${font.id}.css`,
      bytes: new TextEncoder().encode(faces.map((face) => ruleOf(font, face)).join('\n')),
    },
    faces: await Promise.all(
      faces.map(async (face) => ({ name: nameOf(face), bytes: await readFile(`${font.from}/${face.file}`) })),
    ),
    upright: Object.fromEntries(
      upright.map((face) => [`${font.id}-${face.script}${face.weight === '700' ? '-bold' : ''}.woff2`, nameOf(face)]),
    ),
  };
}

/** The fonts that customizations can name, as files of ours. */
export async function readFonts(): Promise<ReaderFont[]> {
  const scopes = ['@fontsource', '@fontsource-variable'];
  const folders = await Promise.all(
    scopes.map(async (scope) =>
      (await readdir(`${modules}${scope}`)).sort().map((name) => `${modules}${scope}/${name}`),
    ),
  );
  return Promise.all(folders.flat().map(readFont));
}
