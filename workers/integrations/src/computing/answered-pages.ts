import type { ComputedSource, LinkTarget } from '@octavo/schema';
import {
  ComputedDocumentAnswer,
  ComputedPageAnswer,
  ComputedRevisionAnswer,
  integratedBy,
  maxComputedPages,
} from '@octavo/schema';

/** Pages nest no deeper. */
const maxDepth = 8;

/** Pages cannot be made; what is wrong is for whoever wrote the script. */
export class ComputeFault extends Error {
  /** Whether the log of the integration has it, as it has of a run that fails. */
  readonly isLogged: boolean;

  constructor(message: string, { isLogged = false }: { isLogged?: boolean } = {}) {
    super(message);
    this.isLogged = isLogged;
  }
}

/** A page as a script describes it; `parent` is the ordinal of the page that it stands below. */
export interface AnsweredPage {
  parent: number | null;
  title: string;
  slug: string | undefined;
  description: string | undefined;
  icon: string | undefined;
  emoji: string | undefined;
  /** Where it leads, of a link. */
  target: LinkTarget | undefined;
  /** What its text is asked for by; a page without one has none. */
  computed: ComputedSource | undefined;
}

interface Schema<Value> {
  safeParse(value: unknown): { data?: Value; error?: { issues: { path: PropertyKey[]; message: string }[] } };
}

function read<Value>(schema: Schema<Value>, value: unknown, path: string): Value {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  throw new ComputeFault(
    `${[path, ...(issue?.path ?? [])].filter((each) => each !== '').join('.')}: ${issue?.message}`,
  );
}

/** The pages of an answer to `content_compute_revision`, each after the one that it stands below. @throws ComputeFault */
export function pagesOfAnswer(answer: unknown, integration: string): AnsweredPage[] {
  const found: AnsweredPage[] = [];
  const add = (values: unknown[], parent: number | null, path: string, depth: number): void => {
    if (depth > maxDepth) throw new ComputeFault(`${path}: pages nest at most ${maxDepth} deep`);
    for (const [index, value] of values.entries()) {
      const at = `${path}.${index}`;
      const page = read(ComputedPageAnswer, value, at);
      const { pages = [], title, slug, description, icon, emoji, computed } = page;
      const target = page.type === 'link' ? page.target : undefined;
      const maker = computed && integratedBy(computed)?.name.toLowerCase();
      if (maker !== undefined && maker !== integration.toLowerCase())
        throw new ComputeFault(`${at}.computed.type: must be a source of the integration itself`);
      if (found.length >= maxComputedPages)
        throw new ComputeFault(`${at}: a computed page is made into at most ${maxComputedPages} pages`);
      const ordinal = found.push({ parent, title, slug, description, icon, emoji, target, computed }) - 1;
      add(pages, ordinal, `${at}.pages`, depth + 1);
    }
  };
  add(read(ComputedRevisionAnswer, answer, '').pages, null, 'pages', 1);
  return found;
}

/** The document of an answer to `content_compute_document`. @throws ComputeFault */
export const documentOfAnswer = (answer: unknown): object => read(ComputedDocumentAnswer, answer, '').document;
