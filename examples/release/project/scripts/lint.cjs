console.log("no complaints");
