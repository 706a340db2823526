/** What a function makes, made once for each key. Formatters take long to make, and a list asks for thousands. */
export function kept<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>();
  return (key) => {
    const found = made.get(key);
    if (found !== undefined || made.has(key)) return found as Made;
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
}
