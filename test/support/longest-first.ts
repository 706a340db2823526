import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { knownTimes } from './test-times.ts';

/** Of files that took little, which the times do not name. */
const otherSeconds = 1;
/** Of a file that starts services and is new: none takes so little that the times would not name it. */
const newSystemSeconds = 45;

/** Begins with the files that took longest, so that none of them is left alone at the end of a run. */
export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const times = knownTimes();
    const secondsOf = ({ moduleId, project }: TestSpecification): number =>
      times.get(moduleId.slice(project.vitest.config.root.length + 1)) ?? (project.name === 'system' ? newSystemSeconds : otherSeconds);
    return Promise.resolve(files.toSorted((one, other) => secondsOf(other) - secondsOf(one)));
  }
}
