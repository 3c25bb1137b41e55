// Only the self-contained browser bundle of Scalar is used; its 27 dependencies are already inside it.
module.exports = {
  hooks: {
    readPackage(pkg) {
      if (pkg.name === '@scalar/api-reference') pkg.dependencies = {};
      return pkg;
    },
  },
};
