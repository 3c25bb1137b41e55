const MINUTE_MS = 60_000;
const STARTED_MS = 3000;

/**
 * Waits until the next full minute is at least `seconds` away and the previous one is not too recent. The platform runs
 * its crons at full minutes, which would change the state that a test asserts and add to the costs that it counts.
 */
export async function waitUntilMidMinute(seconds = 10): Promise<void> {
  for (;;) {
    const since = Date.now() % MINUTE_MS;
    const left = MINUTE_MS - since;
    if (since >= STARTED_MS && left >= seconds * 1000) return;
    await new Promise((resolve) => setTimeout(resolve, since < STARTED_MS ? STARTED_MS - since : left + STARTED_MS));
  }
}
