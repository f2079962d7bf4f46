import '../testbed/engine/n8nEnvironment';

// Pauses between tries vary by chance: a test that counts tries must meet the same ones each time.
Math.random = () => 0.5;
