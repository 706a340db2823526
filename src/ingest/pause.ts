/** A point at which a loop stands still while somebody else works. */
export class Pause {
  private readonly stands = makeGate();
  private readonly over = makeGate();

  /** For the loop: stands still until the other is done, or the loop is told to stop. */
  async hold(stopped: AbortSignal): Promise<void> {
    this.stands.open();
    stopped.addEventListener('abort', this.over.open, { once: true });
    await this.over.passed;
    stopped.removeEventListener('abort', this.over.open);
  }

  /** For the other: resolves once the loop stands still. @throws after so many milliseconds. */
  async whenHeld(maxMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`the ingest did not come to the end of a batch within ${maxMs} ms`)), maxMs);
    });
    try {
      await Promise.race([this.stands.passed, expired]);
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.over.open();
  }
}

interface Gate {
  readonly open: () => void;
  readonly passed: Promise<void>;
}

function makeGate(): Gate {
  const gate = new EventTarget();
  const passed = new Promise<void>((resolve) => {
    gate.addEventListener('open', () => resolve(), { once: true });
  });
  return { open: () => void gate.dispatchEvent(new Event('open')), passed };
}
