import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const place = { space: 'The id of the space.', page: 'The id of the page, which may be deleted.' };
const example = { space: ids.space, page: ids.page };

export const feedback: ResourceDocumentation = {
  operations: {
    listSiteFeedback: {
      description:
        'Lists the ratings that readers have given to pages of a site in the last year, newest first. A reader has ' +
        'one rating for each page. Ratings contain nothing about readers.',
    },
    listSiteFeedbackByPage: {
      description:
        'Lists the pages of a site that readers have rated in the last year, those with the most bad ratings first.',
    },
  },
  schemas: {
    PageRating: { description: "A reader's rating of a page.", example: 'good' },
    PageFeedback: {
      description: "A reader's rating of a page.",
      properties: { ...place, rating: 'The opinion of the reader.', ratedAt: 'The time of the rating.' },
      example: { object: 'page-feedback', ...example, rating: 'good', ratedAt: '2026-02-18T09:00:00.000Z' },
    },
    PageFeedbackCounts: {
      description: 'The numbers of ratings of a page.',
      properties: {
        ...place,
        good: 'The number of good ratings.',
        ok: 'The number of middling ratings.',
        bad: 'The number of bad ratings.',
        ratedAt: 'The time of the newest rating.',
      },
      example: {
        object: 'page-feedback-counts',
        ...example,
        ...{ good: 41, ok: 6, bad: 2, ratedAt: '2026-02-18T09:00:00.000Z' },
      },
    },
  },
};
