import type { Node } from '@octavo/merge';
import type { OutlineSource, Repository } from '@octavo/outline';
import { keptLinks } from '@octavo/outline';
import { newId, VariableName, VariableValue } from '@octavo/schema';
import type { PageFields } from '../store/nodes.ts';
import { blankNode } from '../store/nodes.ts';
import { importLimits } from './import-limits.ts';
import type { ImportRecord } from './import-record.ts';

type Problem = Repository['problems'][number];

/** What an archive asks for beside its pages. */
interface PlannedParts {
  /** Still without their texts. */
  contents: { path: string; node: Node }[];
  variables: Node[];
  files: string[];
  /** What is left out, or not taken as it is written; what failed is told by itself. */
  problems: Problem[];
}

export function planParts(record: ImportRecord, source: OutlineSource, repository: Repository): PlannedParts {
  const { createdAt } = record;
  const { variables, problems } = planVariables(repository.variables, createdAt);
  const files = withinLimits(source, repository);
  const contents = repository.reusableContents.flatMap(({ path, title, file }) => {
    if (file === undefined) return [];
    const fields = { title, ...sourceOf(path, repository.meanings) } as Node['fields'];
    return [{ path, node: { ...blankNode('reusable-content', newId('reusableContent'), createdAt), fields } }];
  });
  const told = repository.problems.filter(({ kind }) => kind !== 'failed');
  return {
    contents,
    variables,
    files: files.taken,
    problems: bounded([...told, ...files.problems, ...problems, ...tellRedirects(repository)]),
  };
}

/** Where a text comes from, with what its addresses mean as far as that is kept. */
export function sourceOf(
  gitPath: string,
  meanings: Repository['meanings'],
): Pick<PageFields, 'gitPath' | 'gitLinks'> & { gitPath: string } {
  const gitLinks = keptLinks(meanings.get(gitPath) ?? {});
  return { gitPath, ...(Object.keys(gitLinks).length === 0 ? {} : { gitLinks }) };
}

/** The texts come after the files: those must leave room for them. */
function withinLimits(source: OutlineSource, { files, roots: _, ...texts }: Repository) {
  let room = importLimits.totalBytes - importLimits.archiveTextBytes;
  let count = importLimits.files - texts.reusableContents.length;
  const taken: string[] = [];
  const problems: Problem[] = [];
  for (const path of files) {
    const size = source.sizeOf(path);
    if (count > 0 && size <= room) {
      taken.push(path);
      count -= 1;
      room -= Math.min(size, importLimits.fileBytes);
    } else problems.push({ path, kind: 'skipped', message: 'The file is beyond what one import takes.' });
  }
  return { taken, problems };
}

function planVariables(wanted: Repository['variables'], now: number) {
  const variables: Node[] = [];
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const { error } =
      [VariableName.safeParse(name), VariableValue.safeParse(value)].find(({ success }) => !success) ?? {};
    if (error === undefined) variables.push({ ...blankNode('variable', name, now), fields: { name, value } });
    else problems.push({ path: `variable ${name}`, kind: 'skipped', message: error.issues[0]?.message ?? '' });
  }
  return { variables, problems };
}

const tellRedirects = ({ redirects }: Repository): Problem[] =>
  [...Map.groupBy(redirects, ({ file }) => file)].map(([path, { length }]) => ({
    path,
    kind: 'skipped',
    message: `Its redirects (${length}) are those of a site, and a space has none.`,
  }));

function bounded(problems: Problem[]): Problem[] {
  const { length } = problems;
  if (length <= importLimits.problems) return problems;
  const most = importLimits.problems - 1;
  const rest: Problem = { path: '', kind: 'warning', message: `There are ${length - most} more, which are not told.` };
  return [...problems.slice(0, most), rest];
}
