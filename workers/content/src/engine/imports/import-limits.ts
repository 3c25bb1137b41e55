/** What one import may take; what is beyond is skipped and counted. */
export const importLimits = {
  pages: 5000,
  files: 2000,
  /** Addresses that are kept, with those that turn out to be no pages. */
  addresses: 20_000,
  /** Clicks away from the first page. */
  depth: 32,
  totalBytes: 200_000_000,
  pageBytes: 5_000_000,
  fileBytes: 10_000_000,
  robotsBytes: 500_000,
  archiveBytes: 50_000_000,
  archiveMilliseconds: 30_000,
  archiveEntries: 20_000,
  /** What is told of an archive that was left out, or not taken as it is written. */
  problems: 500,
  /** Of the markdown files of an archive, all together. */
  archiveTextBytes: 30_000_000,
  milliseconds: 30 * 60_000,
  fetchMilliseconds: 10_000,
  /** From one host at a time, by all imports together. */
  fetchedOfHost: 4,
  /** How long a fetch waits for others from its host. */
  turnMilliseconds: 10_000,
  redirects: 5,
  /** Between two addresses of a site whose robots.txt asks for a delay. */
  crawlDelaySeconds: 10,
  attempts: 3,
  /** Imports of one organization that run at once. */
  running: 10,
  /** After so many times that an import stood still it fails. */
  resumed: 3,
};
