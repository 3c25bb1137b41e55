// What runs on a server has no DOM. The types of Preact ask for the library of it, which would change those of the runtime.
