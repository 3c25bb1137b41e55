import type { IntegrationBlock } from '@octavo/schema';

const host = /^(?:[a-z*][a-z\d+.*-]*:\/\/)?((?:\*{1,2}\.)?[a-z\d][\w.-]*)(?:[/:?#]|$)/i;

/** The domains in the patterns of addresses that become blocks; `*.` before one stands for those below it. */
export const blockDomainsOf = (blocks: IntegrationBlock[] = []): string[] => [
  ...new Set(
    blocks.flatMap(({ urlUnfurl = [] }) =>
      urlUnfurl.flatMap((pattern) => {
        const domain = host
          .exec(pattern)?.[1]
          ?.toLowerCase()
          .replace(/^\*\*\./, '*.');
        return domain === undefined ? [] : [domain];
      }),
    ),
  ),
];
