import sys
import threading

sys.path.insert(0, sys.argv[1])
import extension

work = getattr(extension, sys.argv[2])
threads = [threading.Thread(target=lambda: [work(), work()]) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")
