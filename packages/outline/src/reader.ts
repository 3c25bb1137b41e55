import { findFrontmatterBlock } from '@octavo/markdown';
import { type DataObject, getObject, readToml, readYaml, toData } from './data/read-data.ts';
import { readScript } from './data/read-script.ts';
import { isDocsPath, isMarkdown, type OutlineSource, readText, type SourceFile } from './frontmatter-fields.ts';
import type { RepositoryProblem } from './repository.ts';

const maxLines = 200;

/** Reports each file or folder of a source that is not imported, except the files of Git itself. */
function reportUnread(paths: readonly string[]): RepositoryProblem[] {
  const folders = new Set(paths.map(getUnreadFolder).filter((folder) => !/(?:^|\/)\.git\/?$/.test(folder)));
  const lines = [...folders].slice(0, maxLines).map(
    (path): RepositoryProblem => ({
      kind: 'skipped',
      path,
      message: isDocsPath(path.replace(/\/$/, ''))
        ? 'Skipped, because it is a symbolic link or a special file.'
        : 'Skipped, because hidden, installed and generated files are not imported.',
    }),
  );
  if (folders.size <= maxLines) return lines;
  const message = `${folders.size - maxLines} more files and folders were skipped.`;
  return [...lines, { kind: 'skipped', path: './', message }];
}

/** Returns the topmost unread folder above a path, with a trailing slash, or the path itself. */
function getUnreadFolder(path: string): string {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1))
    if (!isDocsPath(path.slice(0, end))) return path.slice(0, end + 1);
  return path;
}

const maxConfigurationBytes = 256 * 1024;

/** Reads the files of a source, each at most once, and collects their problems. */
export class SourceReader {
  readonly source: OutlineSource;
  readonly files: ReadonlySet<string>;
  /** The paths of the markdown files that may be pages, sorted. */
  readonly pages: string[];
  /** The paths of the files in GitBook's folder for included content. */
  readonly includes: string[];
  readonly problems: RepositoryProblem[];
  /** Files that only configure how other files are read. */
  readonly configuration = new Set<string>();
  /** The paths of the attachments that a summary lists. */
  readonly attachmentPaths = new Set<string>();
  readonly #texts = new Map<string, SourceFile | undefined>();
  readonly #fields = new Map<string, DataObject>();

  constructor(source: OutlineSource) {
    this.source = source;
    this.problems = reportUnread(source.unreadablePaths ?? []);
    this.files = new Set(source.paths);
    const texts = source.paths.filter(isMarkdown).sort();
    this.pages = texts.filter((path) => !isInclude(path));
    this.includes = texts.filter(isInclude);
  }

  warn(path: string, message: string, line?: number): void {
    this.problems.push({ kind: 'warning', path, message, ...(line !== undefined && { line }) });
  }

  /** Returns the text of a markdown file. If it cannot be read, reports that once and returns undefined. */
  async readPage(path: string): Promise<SourceFile | undefined> {
    if (this.#texts.has(path)) return this.#texts.get(path);
    const file = await readText(this.source, path).catch((error: unknown) => {
      this.problems.push({ kind: 'failed', path, message: getMessage(error) });
    });
    this.#texts.set(path, file ?? undefined);
    return file ?? undefined;
  }

  /** Returns the text of a file that pages include. If it is not text or too large, reports that once. */
  async readIncluded(path: string): Promise<SourceFile | undefined> {
    if (isMarkdown(path)) return this.readPage(path);
    if (!this.#texts.has(path)) {
      const file = await readText(this.source, path).catch((error: unknown) => {
        this.warn(path, `It cannot be shown in the pages that include it: ${getMessage(error)}`);
      });
      this.#texts.set(path, file ?? undefined);
    }
    return this.#texts.get(path);
  }

  /** Returns the frontmatter of a markdown file, with the fields of all generators. */
  async readFields(path: string): Promise<DataObject> {
    const cachedFields = this.#fields.get(path);
    if (cachedFields) return cachedFields;
    const file = await this.readPage(path);
    const fields = file === undefined ? {} : getFields(file.text);
    this.#fields.set(path, fields);
    return fields;
  }

  /**
   * Returns a configuration file as data, by its extension. Returns undefined if it does not exist or cannot be read;
   * the latter is reported.
   */
  async readData(path: string): Promise<DataObject | undefined> {
    if (!this.files.has(path)) return undefined;
    this.configuration.add(path);
    try {
      if (this.source.getSize(path) > maxConfigurationBytes)
        throw new Error(`it has ${this.source.getSize(path)} bytes, but can have at most ${maxConfigurationBytes}`);
      const { text } = await readText(this.source, path);
      const [, ending = ''] = /\.(\w+)$/.exec(path) ?? [];
      if (/^ya?ml$|^pages$/i.test(ending)) return getObject(readYaml(text));
      if (/^toml$/i.test(ending)) return getObject(readToml(text));
      const { value, skipped } = await readScript(path, (each) => this.#readScript(each));
      if (skipped.length > 0) this.warn(path, getSkippedMessage(skipped));
      return getObject(value);
    } catch (error) {
      this.warn(path, `The configuration could not be read and was ignored: ${getMessage(error)}`);
      return undefined;
    }
  }

  async #readScript(path: string): Promise<string | undefined> {
    if (!this.files.has(path) || this.source.getSize(path) > maxConfigurationBytes) return undefined;
    this.configuration.add(path);
    return (await readText(this.source, path)).text;
  }
}

const maxNamed = 8;

function getSkippedMessage(skipped: readonly string[]): string {
  const rest = skipped.length - maxNamed;
  return (
    'Values that are computed by code were skipped: ' +
    `${skipped.slice(0, maxNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`
  );
}

const isInclude = (path: string): boolean => /(?:^|\/)\.gitbook\/includes\//.test(path);

const getMessage = (error: unknown): string => String(error instanceof Error ? error.message : error);

function getFields(text: string): DataObject {
  const block = findFrontmatterBlock(text);
  return block ? getObject(toData(block.map)) : {};
}
