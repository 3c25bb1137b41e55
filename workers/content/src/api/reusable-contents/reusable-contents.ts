import { queryContent, readReferences, toFoundContent } from '../../engine/reading/find-content.ts';
import { presentReusableContent, presentWholeGit } from '../../engine/reading/page-presenter.ts';
import { renderTextAsMarkdown, toPointReading } from '../../engine/reading/page-text.ts';
import { handler } from '../../handler.ts';

/** Returns a reusable content with its text. One round trip, and one more if a visitor's text links to other spaces. */
export const getReusableContentById = handler('getReusableContentById', {
  reads: ({ params }, scope) => queryContent(params.reusableContentId, scope),
  async handle({ params }, context, rows) {
    const isVisited = context.visitor !== undefined;
    const content = await toFoundContent(rows, params.reusableContentId, context);
    const form = { evaluated: false, dereferenced: isVisited, references: 'written' } as const;
    const options = { form: form.references, isDereferenced: isVisited };
    const { references, text } = await readReferences(content, toPointReading(context), options);
    const markdown = await renderTextAsMarkdown(text, form, references);
    const { node } = content.text;
    const source = isVisited
      ? {}
      : { ...presentWholeGit(node), ...(node.links === undefined ? {} : { links: node.links }) };
    return { ...presentReusableContent(node, { isVisited }), ...source, markdown };
  },
});
