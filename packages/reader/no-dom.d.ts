// The server has no DOM. Preact's types reference the DOM library, which would change the types of the runtime.
