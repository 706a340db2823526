/**
 * What a call waits for: begins it, and calls one of both functions, once, at once or later. An exception that it throws fails the wait.
 */
export type Wait = (resume: () => void, fail: (error: unknown) => void) => void;

/** As {@link Wait}, for a value. */
export type WaitFor<Value> = (ready: (value: Value) => void, fail: (error: unknown) => void) => void;

/** The steps of a call, which yield whatever they wait for. */
export type Steps<Result = void> = Generator<Wait, Result, void>;

/**
 * Takes the steps, which must not throw, to their end.
 *
 * TRICKY: no `async` function. A call whose waits end at once is through before this returns, and any other goes on within the callback
 * that ends its wait; promises would cost every call turns of the event loop.
 */
export function run(steps: Steps): void {
  const go = ({ done, value: wait }: IteratorResult<Wait, void>): void => {
    if (done === true) return;
    try {
      wait(resume, fail);
    } catch (error) {
      fail(error);
    }
  };
  const resume = (): void => go(steps.next());
  const fail = (error: unknown): void => go(steps.throw(error));
  resume();
}

export function* valueOf<Value>(wait: WaitFor<Value>): Steps<Value> {
  let found!: Value;
  yield (resume, fail) => {
    wait((value) => {
      found = value;
      resume();
    }, fail);
  };
  return found;
}

export function settled<Value>(promise: Promise<Value>): Steps<Value> {
  return valueOf((ready, fail) => {
    promise.then(ready, fail);
  });
}
