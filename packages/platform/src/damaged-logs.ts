import { open, rename } from 'node:fs/promises';
import { listDatabases } from './backup-databases.ts';
import { getErrorCode } from './platform-error.ts';

const headerBytes = 32;
/** The magic numbers of a SQLite write-ahead log. The last bit is the byte order of its checksums. */
const magicNumbers = [0x377f0682, 0x377f0683];

/**
 * Whether the header of a SQLite write-ahead log has a valid magic number and checksum. SQLite ignores a log with an
 * invalid header.
 */
function isValidHeader(header: Buffer): boolean {
  const magic = header.readUInt32BE(0);
  if (!magicNumbers.includes(magic)) return false;
  const isBigEndian = (magic & 1) === 1;
  let [one, other] = [0, 0];
  for (let offset = 0; offset < 24; offset += 8) {
    const [first, second] = isBigEndian
      ? [header.readUInt32BE(offset), header.readUInt32BE(offset + 4)]
      : [header.readUInt32LE(offset), header.readUInt32LE(offset + 4)];
    one = (one + first + other) >>> 0;
    other = (other + second + one) >>> 0;
  }
  return one === header.readUInt32BE(24) && other === header.readUInt32BE(28);
}

/** Returns whether a log has changes, but no valid header. A log of at most the size of the header has no changes. */
async function isDamaged(file: string): Promise<boolean> {
  const log = await open(file).catch((error: unknown) => {
    if (getErrorCode(error) !== 'ENOENT') throw error;
  });
  if (log === undefined) return false;
  try {
    if ((await log.stat()).size <= headerBytes) return false;
    const { buffer } = await log.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    return !isValidHeader(buffer);
  } finally {
    await log.close();
  }
}

/**
 * Renames database logs whose header is destroyed, and returns a warning for each. Otherwise, SQLite would open the
 * database without the changes in the log and overwrite the log.
 */
export async function keepDamagedLogs(dataDir: string): Promise<string[]> {
  const warnings: string[] = [];
  for (const database of await listDatabases(dataDir)) {
    const log = `${database}-wal`;
    if (!(await isDamaged(log))) continue;
    const damagedLog = `${log}.damaged-${Date.now()}`;
    await rename(log, damagedLog);
    warnings.push(
      `The log of the database ${database} is damaged, so its latest changes are lost. Octavo starts with the data ` +
        `before them. The log was kept as ${damagedLog}. If a backup is newer, restore it to get the changes back.`,
    );
  }
  return warnings;
}
