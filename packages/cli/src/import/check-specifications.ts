import { paginate } from '@octavo/client';
import type { OutlineSource, Repository } from '@octavo/outline';
import { findNearestWord, isApiError, OpenAPISlug } from '@octavo/schema';
import {
  findOperation,
  getOwnProperty,
  isObject,
  type JsonObject,
  maxFileBytes,
  methods,
  readSpecification,
  SpecificationFault,
} from '@octavo/specification';
import type { Api } from '../api.ts';
import { findOnlyOrganization } from '../spaces.ts';
import type { ImportProblem } from './source.ts';

type SpecificationBlock = Repository['specificationBlocks'][number];

interface Imported {
  api: Api;
  source: OutlineSource;
  repository: Pick<Repository, 'specificationBlocks' | 'find'>;
  /** The space that is imported into; undefined if a dry run would create it. */
  spaceId: string | undefined;
  /** The organization of a space that does not exist yet. */
  organization?: string | undefined;
}

/**
 * A specification that a block refers to, or the reason why it cannot be shown. Undefined if the caller may not read
 * it.
 */
type Specification = { document: JsonObject } | { fault: string } | undefined;

/** The maximum number of specifications that are read for one import. Each can be megabytes large. */
const maxSpecifications = 50;

/** Returns a warning for each block whose specification is missing, or whose part of the specification is missing. */
export async function checkSpecifications(imported: Imported): Promise<ImportProblem[]> {
  const blocks = imported.repository.specificationBlocks;
  if (blocks.length === 0) return [];
  const specifications = new Specifications(imported, await findOrganization(imported));
  const problems: ImportProblem[] = [];
  for (const block of blocks) {
    const specification = await specifications.read(block);
    const message =
      specification && ('fault' in specification ? specification.fault : describePart(block, specification.document));
    if (message !== undefined) problems.push({ kind: 'warning', path: block.file, message, line: block.line });
  }
  return problems;
}

async function findOrganization({ api, spaceId, organization }: Imported): Promise<string> {
  if (spaceId !== undefined) return (await api.getSpaceById({ params: { spaceId } })).organization;
  return organization ?? (await findOnlyOrganization(api, 'createContent')).id;
}

/** The specifications of an import, each read once. */
class Specifications {
  readonly #imported: Imported;
  readonly #organizationId: string;
  readonly #read = new Map<string, Promise<Specification>>();
  #slugs: Promise<string[]> | undefined;

  constructor(imported: Imported, organizationId: string) {
    this.#imported = imported;
    this.#organizationId = organizationId;
  }

  read(block: SpecificationBlock): Promise<Specification> {
    const { file, source } = block;
    if (source === undefined) return this.#readOnce(`spec ${block.spec}`, () => this.#readBySlug(block.spec ?? ''));
    const path = this.#imported.repository.find(source, file);
    if (path !== undefined) return this.#readOnce(`file ${path}`, () => this.#readFile(path));
    return this.#readOnce(`source ${source}`, () => this.#readBySource(source));
  }

  #readOnce(key: string, read: () => Promise<Specification>): Promise<Specification> {
    const specification =
      this.#read.get(key) ?? (this.#read.size < maxSpecifications ? read() : Promise.resolve(undefined));
    this.#read.set(key, specification);
    return specification;
  }

  /**
   * A source that is not a file of the import is the slug of a specification of the organization, or the ID of a file
   * in the space.
   */
  async #readBySource(source: string): Promise<Specification> {
    if (/^\/?(?:files\/)?file_\w+$/.test(source)) return undefined;
    if (OpenAPISlug.safeParse(source).success) return this.#readBySlug(source);
    return {
      fault:
        `The source ${JSON.stringify(source.slice(0, 200))} is not a file of the import, so the block is shown as a ` +
        'link. Add the file, or publish it with octavo openapi publish and use its slug.',
    };
  }

  async #readBySlug(slug: string): Promise<Specification> {
    const { api } = this.#imported;
    const params = { organizationId: this.#organizationId, specSlug: slug };
    if (OpenAPISlug.safeParse(slug).success)
      try {
        const { filesystem } = await api.getLatestOpenAPISpecVersionContent({ params });
        const [document] = filesystem.map(({ specification }): unknown => specification);
        return isObject(document) ? { document } : undefined;
      } catch (error) {
        if (!isApiError(error)) throw error;
        if (error.type !== 'not_found') return undefined;
      }
    this.#slugs ??= this.#listSlugs();
    const slugs = await this.#slugs;
    if (slugs.includes(slug)) return { fault: `The OpenAPI specification ${slug} has no version that could be read.` };
    const nearest = findNearestWord(slug, slugs);
    return {
      fault:
        `The organization has no OpenAPI specification ${JSON.stringify(slug.slice(0, 100))}, so nothing is shown.` +
        `${nearest === undefined ? ' Publish it with octavo openapi publish.' : ` Did you mean ${nearest}?`}`,
    };
  }

  async #listSlugs(): Promise<string[]> {
    const { api } = this.#imported;
    const params = { organizationId: this.#organizationId };
    const slugs: string[] = [];
    for await (const { slug } of paginate((page) => api.listOpenAPISpecs({ params, query: { limit: '1000', page } })))
      slugs.push(slug);
    return slugs;
  }

  async #readFile(path: string): Promise<Specification> {
    const { source } = this.#imported;
    if (source.getSize(path) > maxFileBytes)
      return {
        fault:
          `${path} is larger than ${maxFileBytes / 1024 / 1024} MiB, so the block is shown as a link. ` +
          'Publish it with octavo openapi publish and use its slug.',
      };
    try {
      const bytes = await source.read(path);
      const { document } = await readSpecification(bytes, async () => {});
      const value: unknown = document ?? JSON.parse(new TextDecoder().decode(bytes));
      return isObject(value) ? { document: value } : undefined;
    } catch (error) {
      if (!(error instanceof SpecificationFault)) throw error;
      return { fault: `${path} is not an OpenAPI specification, so the block is shown as a link. ${error.message}` };
    }
  }
}

/** Describes the part of a specification that a block shows, if it does not exist. */
function describePart(block: SpecificationBlock, document: JsonObject): string | undefined {
  const { name, path, method, webhook, schemas, spec, source } = block;
  const place = spec ?? source ?? '';
  if (name === 'openapi-schemas') {
    const models = getNames(getOwnProperty(document, 'components'), 'schemas');
    const missing = (schemas ?? []).find((schema) => !models.includes(schema));
    if (schemas === undefined) return `{% ${name} %} needs the attribute schemas.`;
    return missing === undefined ? undefined : `${place} has no model ${missing}.${suggest(missing, models)}`;
  }
  const key = name === 'openapi-webhook' ? 'name' : 'path';
  const part = key === 'name' ? webhook : path;
  if (part === undefined || method === undefined) return `{% ${name} %} needs the attributes ${key} and method.`;
  const lists = key === 'name' ? ['webhooks', 'x-webhooks'] : ['paths'];
  if (lists.some((list) => findOperation(document, { key: list, name: part, method }) !== undefined)) return undefined;
  const names = lists.flatMap((list) => listOperations(document, list));
  const written = `${method.toUpperCase()} ${part}`;
  const effect = source === undefined ? 'nothing is shown' : 'the block is shown as a link';
  return `${place} has no operation ${written}, so ${effect}.${suggest(written, names)}`;
}

const getNames = (parent: unknown, key: string): string[] => {
  const value = isObject(parent) ? getOwnProperty(parent, key) : undefined;
  return isObject(value) ? Object.keys(value) : [];
};

const listOperations = (document: JsonObject, list: string): string[] =>
  getNames(document, list).flatMap((name) =>
    getNames(getOwnProperty(document, list), name)
      .filter((method) => methods.includes(method))
      .map((method) => `${method.toUpperCase()} ${name}`),
  );

/** Names the other methods of the same path, or suggests the most similar name. */
function suggest(written: string, names: string[]): string {
  const [, path] = written.split(' ');
  const sameNames = path === undefined ? [] : names.filter((name) => name.endsWith(` ${path}`));
  if (sameNames.length > 0) return ` It has ${sameNames.join(', ')}.`;
  const nearest = findNearestWord(written, names);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}
