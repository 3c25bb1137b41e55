const mostRestarts = 5;
const withinMilliseconds = 600_000;

/** Tells at each restart whether it is one too many: there were five within ten minutes. */
export function restartLimit(): () => boolean {
  let restarts: number[] = [];
  return () => {
    const now = performance.now();
    restarts = [...restarts.filter((then) => now - then < withinMilliseconds), now];
    return restarts.length > mostRestarts;
  };
}
