/** How much an import reads from one folder or archive. */
export const maxEntries = 20_000;
export const maxTotalBytes = 512 * 1024 * 1024;
