import { paginate } from '@octavo/client';
import {
  type ChangeRequest,
  ChangeRequestStatus,
  isApiError,
  type MergeResult,
  type SemanticChange,
} from '@octavo/schema';
import { type Api, connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { createMisuseError, Failure } from '../failure.ts';
import { collect } from '../spaces.ts';
import { type Terminal, warn } from '../terminal.ts';
import { addConflictPath, addPath, explainConflicts, getPreviewUrl, readPageNames } from './change-request-pages.ts';
import {
  type Command,
  type CommandInput,
  createChoiceOption,
  createFlag,
  createTextOption,
  getText,
  printResult,
} from './command.ts';
import { describeChange } from './describe-change.ts';

const space = createTextOption('<id>', 'The space of the change request', { required: true });

const fields = ['id', 'number', 'status', 'subject', 'description?', 'createdBy', 'outdated', 'urls'];

interface Context {
  api: Api;
  spaceId: string;
}

async function openSpace({ values }: CommandInput, terminal: Terminal): Promise<Context> {
  const spaceId = getText(values.space);
  if (!spaceId) throw createMisuseError('--space is required. Pass the id of a space.');
  return { api: connect(await findConnection(terminal.env)), spaceId };
}

const listByStatus = ({ api, spaceId }: Context, status: ChangeRequestStatus): AsyncGenerator<ChangeRequest> =>
  paginate((page) => api.listChangeRequestsForSpace({ params: { spaceId }, query: { limit: '200', page, status } }));

/** Finds a change request by its id or number, which can have a `#` before it. @throws Failure */
async function findChangeRequest({ api, spaceId }: Context, idOrNumber: string): Promise<ChangeRequest> {
  const changeRequestId = idOrNumber.replace(/^#(?=\d)/, '');
  try {
    return await api.getChangeRequestById({ params: { spaceId, changeRequestId } });
  } catch (error) {
    if (!isApiError(error) || error.type !== 'not_found') throw error;
    throw new Failure(`The space ${spaceId} has no change request ${idOrNumber}, or you may not see it.`);
  }
}

const describe = ({ number, id, status, subject }: ChangeRequest): string =>
  `${number}  ${id}  ${status}  ${subject || 'Untitled'}`;

export const createChangeRequest: Command = {
  summary: 'Create a change request in a space, as a draft',
  arguments: [],
  options: {
    space: createTextOption('<id>', 'The space', { required: true }),
    subject: createTextOption('<text>', 'The subject', { required: true }),
    description: createTextOption('<markdown>', 'The reason for the change'),
    open: createFlag('Open the change request instead of creating a draft'),
  },
  json: { fields },
  run: async (input, terminal) => {
    const { values } = input;
    const subject = getText(values.subject);
    if (!subject) throw createMisuseError('--subject is required.');
    const { api, spaceId } = await openSpace(input, terminal);
    const description = getText(values.description);
    const body = { subject, ...(description !== undefined && { description }) };
    const created = await api.createChangeRequest({ params: { spaceId }, body });
    const params = { spaceId, changeRequestId: created.id };
    const changeRequest =
      values.open === true ? await api.updateChangeRequestById({ params, body: { status: 'open' } }) : created;
    printResult(terminal, input, changeRequest, describe(changeRequest));
    return 0;
  },
};

export const listChangeRequests: Command = {
  summary: 'List the change requests of a space, newest first',
  arguments: [],
  options: {
    space: createTextOption('<id>', 'The space', { required: true }),
    status: createChoiceOption(ChangeRequestStatus.options, 'The status to list. The default is open'),
  },
  json: { kind: 'list', fields },
  run: async (input, terminal) => {
    const status = ChangeRequestStatus.default('open').safeParse(getText(input.values.status));
    if (!status.success) throw createMisuseError(`--status must be one of ${ChangeRequestStatus.options.join(', ')}.`);
    const changeRequests = await collect(listByStatus(await openSpace(input, terminal), status.data));
    printResult(
      terminal,
      input,
      changeRequests,
      changeRequests.length > 0 ? changeRequests.map(describe) : 'There are no change requests.',
    );
    return 0;
  },
};

export const showChangeRequest: Command = {
  summary: 'Show a change request: subject, status, author and description',
  arguments: ['<id or number>'],
  options: { space },
  json: { fields: [...fields, 'preview?'] },
  run: async (input, terminal) => {
    const [idOrNumber = ''] = input.positionals;
    const context = await openSpace(input, terminal);
    const changeRequest = await findChangeRequest(context, idOrNumber);
    const preview = await getPreviewUrl(context.api, changeRequest);
    const { createdBy, createdAt, comments, outdated, description } = changeRequest;
    const lines = [
      describe(changeRequest),
      `Created by ${createdBy.displayName} at ${createdAt}. ${comments} ${comments === 1 ? 'comment' : 'comments'}.`,
      ...(outdated ? ['The live content has changed since.'] : []),
      ...(description ? ['', description, ''] : []),
      ...(preview === undefined ? [] : [`Preview, for an hour: ${preview}`]),
    ];
    printResult(terminal, input, { ...changeRequest, ...(preview !== undefined && { preview }) }, lines);
    return 0;
  },
};

export const diffChangeRequest: Command = {
  summary: 'Show the changes of a change request, with the differences of its texts',
  arguments: ['<id or number>'],
  options: { space },
  json: { fields: ['changes', 'more?', 'mergedFrom?', 'conflicts?', 'moreConflicts?'] },
  run: async (input, terminal) => {
    const [idOrNumber = ''] = input.positionals;
    const context = await openSpace(input, terminal);
    const { id: changeRequestId } = await findChangeRequest(context, idOrNumber);
    const params = { spaceId: context.spaceId, changeRequestId };
    const changes = await context.api.getChangeRequestChanges({ params, query: { limit: '1000' } });
    const names = await readPageNames(context.api, params);
    const diff = { ...changes, changes: changes.changes.map((change) => addPath(change, names)) };
    const lines = [
      ...diff.changes.flatMap((change: SemanticChange) => describeChange(change)),
      ...(diff.more ? [`and ${diff.more} more changes`] : []),
      ...(diff.conflicts ?? []).map((conflict) => `conflict: ${conflict.field} of ${addConflictPath(conflict, names)}`),
    ];
    printResult(terminal, input, diff, lines.length > 0 ? lines : 'No changes.');
    return 0;
  },
};

export const mergeChangeRequest: Command = {
  summary: 'Merge a change request into the live content. Exits with 1 if it conflicts',
  arguments: ['<id or number>'],
  options: { space },
  json: { fields: ['result', 'revision', 'conflicts?'] },
  run: async (input, terminal) => {
    const [idOrNumber = ''] = input.positionals;
    const context = await openSpace(input, terminal);
    const changeRequest = await findChangeRequest(context, idOrNumber);
    const { number } = changeRequest;
    const merged = await merge(context, changeRequest);
    if (merged.result === 'merge') {
      printResult(terminal, input, merged, `Merged change request ${number} as revision ${merged.revision}.`);
      return 0;
    }
    const { conflicts = [] } = merged;
    const names = await readPageNames(context.api, { spaceId: context.spaceId, changeRequestId: changeRequest.id });
    for (const conflict of conflicts)
      warn(terminal, `conflict: ${conflict.field} of ${addConflictPath(conflict, names)}: ${conflict.message}`);
    for (const line of explainConflicts(changeRequest)) warn(terminal, line);
    const line = `Change request ${number} conflicts with the live content. Nothing was merged.`;
    printResult(terminal, input, merged, line);
    return 1;
  },
};

/** Merges a change request. Unresolved conflicts are returned as a result and not thrown. */
async function merge({ api, spaceId }: Context, { id, revision }: ChangeRequest): Promise<MergeResult> {
  try {
    return await api.mergeChangeRequest({ params: { spaceId, changeRequestId: id } });
  } catch (error) {
    if (!isApiError(error) || error.conflicts === undefined) throw error;
    return { result: 'conflicts', revision, conflicts: error.conflicts };
  }
}
