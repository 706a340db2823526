import type { TargetValues } from '../../model/jobs/job.ts';

export interface ModelRequest {
  readonly id: string;
  /** Its properties before all changes. */
  readonly first: ReadonlyMap<string, string>;
}

/** A change by a caller that was made. */
export interface ModelChange {
  readonly number: number;
  readonly ids: readonly string[];
  readonly name: string;
  readonly value: string;
}

export interface ModelJob {
  readonly id: string;
  readonly number: number;
  /** Requests that it covers and what they get, or the job that it undoes. */
  readonly work: { readonly covers: (id: string) => boolean; readonly targets: TargetValues } | { readonly undoes: string };
}

/** A change of one name of one request. */
interface Event {
  /** The job, or undefined for a caller. */
  readonly job: string | undefined;
  readonly undoes: string | undefined;
  readonly old: string | null;
}

type Properties = Readonly<Record<string, string>>;

/** The properties of all requests when every change and every job is made at once, in the order of their numbers. */
export function replay(
  requests: readonly ModelRequest[],
  changes: readonly ModelChange[],
  jobs: readonly ModelJob[],
): ReadonlyMap<string, Properties> {
  const states = new Map(requests.map(({ id, first }) => [id, new RequestState(first)]));
  const numbered = [
    ...changes.map((change) => ({ number: change.number, apply: () => change.ids.forEach((id) => states.get(id)?.put(change)) })),
    ...jobs.map((job) => ({ number: job.number, apply: () => states.forEach((state, id) => state.run(job, id)) })),
  ];
  for (const { apply } of numbered.toSorted((left, right) => left.number - right.number)) apply();
  return new Map([...states].map(([id, { values }]) => [id, Object.fromEntries(values)]));
}

class RequestState {
  readonly values: Map<string, string>;
  private readonly events = new Map<string, Event[]>();

  constructor(first: ReadonlyMap<string, string>) {
    this.values = new Map(first);
  }

  put({ name, value }: ModelChange): void {
    this.write(name, value, { job: undefined, undoes: undefined });
  }

  run({ id: job, work }: ModelJob, id: string): void {
    if ('undoes' in work) this.undo(job, work.undoes);
    else if (work.covers(id)) for (const [name, wanted] of work.targets) this.want(name, wanted, { job, undoes: undefined });
  }

  private undo(job: string, undoes: string): void {
    for (const [name, events] of this.events) {
      const at = events.findIndex((event) => event.job === undoes);
      const undone = events[at];
      if (undone !== undefined && standing(events.slice(at + 1)).length === 0) this.want(name, undone.old, { job, undoes });
    }
  }

  private want(name: string, wanted: string | null, by: Omit<Event, 'old'>): void {
    if ((this.values.get(name) ?? null) !== wanted) this.write(name, wanted, by);
  }

  private write(name: string, value: string | null, by: Omit<Event, 'old'>): void {
    this.events.set(name, [...(this.events.get(name) ?? []), { ...by, old: this.values.get(name) ?? null }]);
    if (value === null) this.values.delete(name);
    else this.values.set(name, value);
  }
}

/** Without changes whose undo follows at once. */
function standing(events: readonly Event[]): readonly Event[] {
  const left: Event[] = [];
  for (const event of events) {
    if (event.undoes !== undefined && left.at(-1)?.job === event.undoes) left.pop();
    else left.push(event);
  }
  return left;
}
