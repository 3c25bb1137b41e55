const CHECKS = 3;
const STOP_PATIENCE_MS = 10_000;
const RESTART_DELAY_MS = 1000;
const RESTARTS_AT_MOST = 5;
const RESTARTS_WITHIN_MS = 600_000;

// A terminal that is gone must not end the server.
process.stderr.on('error', () => undefined);
const say = (sentence) => process.stderr.write(`${sentence}\n`);

/**
 * Asks a server that is up whether it answers, and ends one that has not for as long as `patienceMs`. A check counts as
 * unanswered when the next one is due, so that a machine that slept is not taken for a server that hangs.
 */
function watch(child, patienceMs) {
  const state = { isReady: false, isHung: false };
  let unanswered = 0;
  const check = () => {
    if (!state.isReady) return;
    unanswered += 1;
    state.isHung ||= unanswered > CHECKS;
    if (state.isHung) child.kill('SIGKILL');
    else child.send('check', () => undefined);
  };
  const timer = setInterval(check, patienceMs / CHECKS);
  child.on('message', () => {
    state.isReady = true;
    unanswered = 0;
  });
  child.on('exit', () => clearInterval(timer));
  return state;
}

function restartLimit() {
  let restarts = [];
  return () => {
    const now = performance.now();
    restarts = [...restarts.filter((then) => now - then < RESTARTS_WITHIN_MS), now];
    return restarts.length > RESTARTS_AT_MOST;
  };
}

/**
 * Runs a server and starts it again when it answers no more or ends without having been asked to, from the first time
 * that it says it is up. `start` gets the reason of a restart. A signal always ends it, also one that does not react.
 */
export function supervise(start, patienceSeconds) {
  const isTooOften = restartLimit();
  let wasReady = false;
  let isStopping = false;
  let child;

  const run = (reason) => {
    child = start(reason);
    const state = watch(child, patienceSeconds * 1000);
    child.on('exit', (code, signal) => {
      wasReady ||= state.isReady;
      if (isStopping || !wasReady || code === 0) process.exit(code ?? 1);
      const ended = `ended unexpectedly (${signal ?? `exit code ${code}`})`;
      restart(state.isHung ? `did not answer for ${patienceSeconds} s` : ended);
    });
  };
  const restart = (reason) => {
    if (isTooOften()) {
      say(`Octavo ${reason} and was started again ${RESTARTS_AT_MOST} times in ten minutes: it is left stopped.`);
      process.exit(1);
    }
    say(`Octavo ${reason} and is started again.`);
    setTimeout(() => (isStopping ? process.exit(1) : run(reason)), RESTART_DELAY_MS);
  };
  const stop = (signal) => {
    if (isStopping) return;
    isStopping = true;
    child.kill(signal);
    setTimeout(() => {
      say(`Octavo did not stop within ${STOP_PATIENCE_MS / 1000} s and was ended; what it has answered is kept.`);
      child.kill('SIGKILL');
    }, STOP_PATIENCE_MS);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  run();
}
