/** Writes lines above the part of the screen that is redrawn. What comes before the screen is there waits for it. */
export interface Writer {
  write(text: string): void;
  /** The screen is there; `to` writes above it. */
  open(to: (text: string) => void): void;
}

/** Opens a writer whose screen is still to come. */
export function openWriter(): Writer {
  let target: ((text: string) => void) | undefined;
  let early = '';
  return {
    write: (text) => {
      if (target) target(text);
      else early += text;
    },
    open: (to) => {
      target = to;
      if (early !== '') to(early);
      early = '';
    },
  };
}
