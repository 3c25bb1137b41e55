const MINUTE_MS = 60_000;
const STARTED_MS = 3000;

/**
 * Waits until no full minute comes for so many seconds, and none has just come. At each a platform runs its crons: what
 * these do just then a test cannot find undone, and cannot count as its own doing.
 */
export async function betweenMinutes(seconds = 10): Promise<void> {
  for (;;) {
    const since = Date.now() % MINUTE_MS;
    const left = MINUTE_MS - since;
    if (since >= STARTED_MS && left >= seconds * 1000) return;
    await new Promise((resolve) => setTimeout(resolve, since < STARTED_MS ? STARTED_MS - since : left + STARTED_MS));
  }
}
