import { checkBlocks, findUnknownComponents } from '@octavo/markdown';
import type { SourceFile } from './frontmatter-fields.ts';
import { toDisplayName } from './paths.ts';
import type { SourceReader } from './reader.ts';
import type { Repository } from './repository.ts';

/** Limits for one file: the components that a warning names, and the block problems that are reported. */
const maxNamed = 5;
const maxFaults = 20;
/** Limits for a repository: the reported block problems, and the specification blocks. */
const maxReported = 5_000;
const maxSpecificationBlocks = 5_000;

/** Reports blocks that are not shown as their authors meant, and collects the blocks that show specifications. */
export class BlockReporter {
  readonly specificationBlocks: Repository['specificationBlocks'] = [];
  readonly #reader: SourceReader;
  #reportedCount = 0;

  constructor(reader: SourceReader) {
    this.#reader = reader;
  }

  readFile({ path, text }: SourceFile): void {
    if (/\.mdx$/i.test(path)) this.#reportComponents(path, findUnknownComponents(text));
    const { faults, specificationBlocks } = checkBlocks(text);
    for (const block of specificationBlocks)
      if (this.specificationBlocks.length < maxSpecificationBlocks)
        this.specificationBlocks.push({ ...block, file: path });
    const limit = Math.min(maxFaults, maxReported - this.#reportedCount);
    for (const { line, message } of faults.slice(0, limit)) this.#reader.warn(path, message, line);
    if (faults.length > limit) this.#reader.warn(path, `${faults.length - limit} more of its blocks have problems.`);
    this.#reportedCount += Math.min(limit, faults.length);
  }

  /** Reports the unknown components of an MDX page. */
  #reportComponents(path: string, names: string[]): void {
    if (names.length === 0) return;
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
    this.#reader.warn(
      path,
      `Only the text in these components is shown: ${names.slice(0, maxNamed).map(toDisplayName).join(', ')}${more}.`,
    );
  }
}
