import { Evaluation } from './evaluation.ts';
import { type Load, loadModules } from './modules.ts';
import { DataFunction, type DataValue, NotPlain } from './read-data.ts';

/** The data of a script, and descriptions of the code that was skipped. */
export interface ScriptData {
  value: DataValue;
  skipped: string[];
}

/**
 * Reads the default export of a script or JSON file as data. The script is parsed and never executed. Literals, names
 * (also from other files of the source), conditions and functions that return data are evaluated. Anything else is
 * `NotPlain`, and is listed in `skipped`.
 * @throws Error if there is no default export, a syntax error, or more than 100,000 values.
 */
export async function readScript(path: string, load: Load): Promise<ScriptData> {
  const evaluation = new Evaluation(path, await loadModules(path, load));
  const value = unwrap(evaluation.evaluateExport(path, 'default', 0));
  if (value === undefined) throw new Error('it has no readable export');
  return { value, skipped: [...evaluation.skipped.values()] };
}

/** Unwraps a configuration that a function returns, or that is passed to a function such as `defineConfig`. */
function unwrap(value: DataValue): DataValue {
  let at = value;
  for (;;) {
    if (at instanceof DataFunction) at = at.run([new NotPlain()], 0);
    else if (at instanceof NotPlain && at.args.length > 0) at = at.args[0];
    else return at;
  }
}
