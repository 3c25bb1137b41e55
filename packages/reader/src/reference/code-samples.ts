import { isObject, textAt } from '@octavo/specification';
import { goNative } from '@scalar/snippetz/plugins/go/native';
import { jsFetch } from '@scalar/snippetz/plugins/js/fetch';
import { pythonRequests } from '@scalar/snippetz/plugins/python/requests';
import { shellCurl } from '@scalar/snippetz/plugins/shell/curl';
import type { OperationDrawing } from './drawn-reference.ts';
import { sampleRequestOf } from './sample-request.ts';
import { listAt } from './schema.ts';

/** Code that calls an operation. */
export interface CodeSample {
  title: string;
  syntax: string;
  text: string;
}

const languages = [
  { title: 'cURL', syntax: 'bash', plugin: shellCurl, before: '' },
  { title: 'JavaScript', syntax: 'javascript', plugin: jsFetch, before: '' },
  { title: 'Python', syntax: 'python', plugin: pythonRequests, before: 'import requests\n\n' },
  { title: 'Go', syntax: 'go', plugin: goNative, before: '' },
];

const maxSamples = 8;

/** What the specification brings itself. */
function ownSamples({ part: { operation } }: OperationDrawing): CodeSample[] {
  const given = [...listAt(operation, 'x-codeSamples'), ...listAt(operation, 'x-code-samples')];
  return given.slice(0, maxSamples).flatMap((sample) => {
    const text = isObject(sample) ? textAt(sample, 'source') : undefined;
    if (!isObject(sample) || text === undefined) return [];
    const syntax = textAt(sample, 'lang') ?? '';
    return [{ title: (textAt(sample, 'label') ?? syntax).slice(0, 60), syntax, text }];
  });
}

/** Samples of a call in the usual languages, those of the specification where it has any; as many as there is room for. */
export function codeSamplesOf(from: OperationDrawing): CodeSample[] {
  const own = ownSamples(from);
  const all = own.length > 0 ? own : madeSamples(from);
  return all.filter(({ text }) => from.budget.take('code', text.length));
}

function madeSamples(from: OperationDrawing): CodeSample[] {
  const { method, url, headers, query, body } = sampleRequestOf(from);
  const request = { method, url, headers, queryString: query, ...(body === undefined ? {} : { postData: body }) };
  return languages.map(({ title, syntax, plugin, before }) => ({
    title,
    syntax,
    text: `${before}${plugin.generate(request)}`.trim(),
  }));
}
