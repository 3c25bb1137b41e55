import type { ResourceDocumentation } from '../documentation.ts';

export const suggestions: ResourceDocumentation = {
  operations: {
    applySuggestionInChangeRequest: {
      description:
        'Replaces the block of a comment by the text that the comment suggests, as a revision of the change request, ' +
        'and resolves the comment. Other changes to the page are kept, so several suggestions for one page can be ' +
        'applied one after another. The title and other fields of the page stay the same. Returns 409 if the block was ' +
        'changed or deleted since the suggestion was posted, if the suggestion would change more than its block, if the ' +
        'comment is resolved or has no suggestion, or if the change request is merged or archived. Requires ' +
        'the role `edit`.',
    },
  },
};
