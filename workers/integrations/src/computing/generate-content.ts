import { parseStrictJson } from '@octavo/runtime';
import type { ComputedSource, GeneratedPageInput, GeneratedPageText, LinkTarget, ValueSchema } from '@octavo/schema';
import {
  ComputedDocumentAnswer,
  ComputedPageResponse,
  ComputedRevisionAnswer,
  createId,
  getContentSource,
  maxComputedPages,
  validate,
} from '@octavo/schema';
import { callWithReason } from '../scripts/call-script.ts';
import { maxReasonCharacters } from '../scripts/record-run.ts';
import type { ScriptContext } from '../scripts/script-environment.ts';
import type { ScriptTarget } from '../scripts/script-target.ts';
import type { Dependencies, LeasedContent } from './due-content.ts';

/** Limits of one script run. */
const limits = { milliseconds: 10_000, answerBytes: 1_000_000 };
/** Maximum number of arrays and objects in a response: many small ones need far more memory than their text. */
const maxParts = 100_000;
/** Limits of all runs for one computed page: the total time in milliseconds, and the number of concurrent runs. */
const wholeMilliseconds = 120_000;
const maxAtOnce = 2;
/** Maximum total size of the texts, because they are stored in one row of limited size. */
const maxBytes = 1_000_000;

/** A generated page as it is stored. */
export type PageToStore = Omit<PageFromScript, 'slug' | 'computed'> & GeneratedPageText;

interface GenerationInput {
  content: LeasedContent;
  target: ScriptTarget;
  installation: string;
  dependencies: Dependencies;
}

type Question = 'content_compute_revision' | 'content_compute_document';

const opening = new Set([...'[{'].map((each) => each.charCodeAt(0)));
const countParts = (json: Uint8Array): number =>
  json.reduce((count, byte) => (opening.has(byte) ? count + 1 : count), 0);

async function runGeneration(
  context: ScriptContext,
  { content: { space }, target, installation, dependencies }: GenerationInput,
  type: Question,
  source: ComputedSource,
): Promise<unknown> {
  const { source: sourceId = '' } = getContentSource(source) ?? {};
  const request = { sourceId, props: source.props ?? {}, dependencies };
  const event = { eventId: createId('event'), type, installationId: installation, spaceId: space, ...request };
  const { outcome, failure } = await callWithReason(context, target, { event, limits, isFrequent: true });
  if (failure !== undefined) {
    // If the script responded, `failure` quotes only the beginning of its response. If the call failed, `failure` can
    // be long, so it is truncated here.
    const message = outcome.ok ? failure : failure.slice(0, maxReasonCharacters);
    throw new ComputeFault(message, { isLogged: true });
  }
  if (!outcome.ok || outcome.status !== 200) throw new ComputeFault(`The script does not handle ${type}.`);
  if (outcome.body.length > limits.answerBytes || countParts(outcome.body) > maxParts)
    throw new ComputeFault(
      `A response to ${type} can have at most ${limits.answerBytes} bytes and ${maxParts} arrays and objects.`,
    );
  try {
    return parseStrictJson(new TextDecoder().decode(outcome.body), 'answer');
  } catch {
    throw new ComputeFault('The response of the script is not valid JSON.');
  }
}

/** Asks the content worker for the stored form of pages. @throws ComputeFault */
async function toStoredForm({ env }: ScriptContext, pages: GeneratedPageInput[]): Promise<GeneratedPageText[]> {
  const { value } = await env.CONTENT.makePages(pages);
  if (!Array.isArray(value)) throw new ComputeFault(value.fault);
  return value;
}

/**
 * Generates the texts of pages, by ordinal. Only the texts of the responses are kept in memory. Stops at the first
 * fault.
 */
async function generateTexts(
  context: ScriptContext,
  input: GenerationInput,
  pages: PageFromScript[],
): Promise<Map<number, string>> {
  const deadline = Date.now() + wholeMilliseconds;
  const texts = new Map<number, string>();
  let bytes = 0;
  const generateText = async ({ title, computed }: PageFromScript, ordinal: number): Promise<void> => {
    if (computed === undefined) return;
    const document = parseDocument(await runGeneration(context, input, 'content_compute_document', computed));
    const [{ text = '' } = {}] = await toStoredForm(context, [{ title, parent: null, document, ordinal }]);
    texts.set(ordinal, text);
    bytes += new TextEncoder().encode(text).length;
  };
  for (let offset = 0; offset < pages.length; offset += maxAtOnce) {
    if (Date.now() > deadline)
      throw new ComputeFault(`Generating the pages took longer than ${wholeMilliseconds / 1000} s.`);
    await Promise.all(pages.slice(offset, offset + maxAtOnce).map((page, index) => generateText(page, offset + index)));
    if (bytes > maxBytes) throw new ComputeFault(`The texts of the pages have more than ${maxBytes} bytes in total.`);
  }
  return texts;
}

/** Generates the pages of a computed page with the integration's script. @throws ComputeFault */
export async function generateContent(context: ScriptContext, input: GenerationInput): Promise<PageToStore[]> {
  const { source, integration } = input.content;
  const pages = parsePages(await runGeneration(context, input, 'content_compute_revision', source), integration);
  const inputs = pages.map(({ title, slug, parent, target }, ordinal) => ({
    ...{ title, slug, parent, ordinal },
    isLink: target !== undefined,
  }));
  const slugs = await toStoredForm(context, inputs);
  const texts = await generateTexts(context, input, pages);
  return pages.map(({ parent, title, description, icon, emoji, target }, index) => {
    const { slug = '' } = slugs[index] ?? {};
    return { parent, title, description, icon, slug, text: texts.get(index) ?? '', emoji, target };
  });
}

/** Maximum depth of nested pages. */
const maxDepth = 8;

/** The pages cannot be generated. The message is for the author of the script. */
export class ComputeFault extends Error {
  /** Whether the run has already been logged as failed. */
  readonly isLogged: boolean;

  constructor(message: string, { isLogged = false }: { isLogged?: boolean } = {}) {
    super(message);
    this.isLogged = isLogged;
  }
}

/** A page as a script describes it; `parent` is the ordinal of its parent page. */
interface PageFromScript {
  parent: number | null;
  title: string;
  slug: string | undefined;
  description: string | undefined;
  icon: string | undefined;
  emoji: string | undefined;
  /** The target, if the page is a link. */
  target: LinkTarget | undefined;
  /** The source of the page's text; undefined for a page without text. */
  computed: ComputedSource | undefined;
}

function parseResponse<Value>(schema: ValueSchema<Value>, value: unknown, path: string): Value {
  const result = validate(schema, value);
  if (result.success) return result.data;
  const [issue] = result.issues;
  const field = [path, ...(issue?.path ?? [])].filter((each) => each !== '').join('.');
  throw new ComputeFault(field === '' ? `The response ${issue?.message}.` : `\`${field}\` ${issue?.message}.`);
}

/**
 * Returns the pages of a response to `content_compute_revision`, parents before their children.
 * @throws ComputeFault
 */
function parsePages(response: unknown, integration: string): PageFromScript[] {
  const scriptPages: PageFromScript[] = [];
  const addPages = (values: unknown[], parent: number | null, path: string, depth: number): void => {
    if (depth > maxDepth)
      throw new ComputeFault(`\`${path}\` is nested too deep. Pages can have at most ${maxDepth} levels.`);
    for (const [index, value] of values.entries()) {
      const pagePath = `${path}.${index}`;
      const page = parseResponse(ComputedPageResponse, value, pagePath);
      const { pages = [], title, slug, description, icon, emoji, computed } = page;
      const target = page.type === 'link' ? page.target : undefined;
      const maker = computed && getContentSource(computed)?.name.toLowerCase();
      if (maker !== undefined && maker !== integration.toLowerCase())
        throw new ComputeFault(`\`${pagePath}.computed.type\` must be a content source of the integration itself.`);
      if (scriptPages.length >= maxComputedPages)
        throw new ComputeFault(`\`${pagePath}\` exceeds the limit of ${maxComputedPages} pages for one computed page.`);
      const ordinal = scriptPages.push({ parent, title, slug, description, icon, emoji, target, computed }) - 1;
      addPages(pages, ordinal, `${pagePath}.pages`, depth + 1);
    }
  };
  addPages(parseResponse(ComputedRevisionAnswer, response, '').pages, null, 'pages', 1);
  return scriptPages;
}

/** Returns the document of a response to `content_compute_document`. @throws ComputeFault */
const parseDocument = (response: unknown): object => parseResponse(ComputedDocumentAnswer, response, '').document;
