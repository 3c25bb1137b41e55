/** Returns a function that sends a visited page, unless it is the page that was sent last. */
export function createVisitRecorder(
  send: (space: string, page: string) => Promise<unknown>,
): (space: string, page: string) => void {
  let last: string | undefined;
  return (space, page) => {
    const visit = `${space} ${page}`;
    if (visit === last) return;
    last = visit;
    send(space, page).catch(() => {
      // No error is shown to the user. The visit is sent when the page is opened again.
      if (last === visit) last = undefined;
    });
  };
}
